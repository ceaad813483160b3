// The side bar in the real workbench: a view that is opened by its command has the keys at once.

import { edit, read, say } from '../harness/turns.ts';
import { until, type Window } from '../harness/window.ts';
import { scene } from './stage.ts';

/** Goes down by keys until a row of the side bar has the focus; only a list that has the keys itself moves it. */
async function reaches(window: Window, row: string): Promise<void> {
  const focused = window.page.locator('.pane-body .monaco-list:focus .monaco-list-row.focused', {
    hasText: row,
  });
  await window.page.locator('.pane-body .monaco-list-row', { hasText: row }).first().waitFor();
  await until(`the focus on ${row}`, async () => {
    await window.press('ArrowDown');
    return (await focused.count()) > 0;
  });
}

for (const [view, row] of [
  ['Hunks', 'list.txt'],
  ['Sessions', 'digits'],
] as const) {
  scene(
    `the view ${view} has the keys when its command opens it for the first time`,
    { 'list.txt': 'one\ntwo\n' },
    [read('list.txt'), edit('list.txt', 'two', '2'), say('Done.')],
    async (window) => {
      await window.open('list.txt');
      await window.prompt('digits');
      await window.status(/1 hunk/);
      await window.command(`Focus on ${view} View`);
      await reaches(window, row);
      await window.screenshot(`views-${view.toLowerCase()}`);
    },
  );
}
