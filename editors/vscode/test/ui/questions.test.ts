// Questions in the real workbench, by keyboard alone: they are seen, take no key that was meant for the text, and are answered.

import * as assert from 'node:assert/strict';
import { call, say } from '../harness/turns.ts';
import type { Window } from '../harness/window.ts';
import { until } from '../harness/window.ts';
import { scene } from './stage.ts';

const TEXT = 'def greet():\n    print("hi")\n';

/** A command that leaves a file, so that its doing is seen. */
function touching(file: string, expect: object): object {
  return call('bash', { command: `touch ${file} && echo $(pwd)`, description: 'leave a file' }, expect);
}

/** Goes down to a row of the pick. */
async function goTo(window: Window, label: string): Promise<void> {
  const focused = window.page.locator('.quick-input-list .monaco-list-row.focused');
  for (let steps = 0; !((await focused.textContent()) ?? '').includes(label); steps++) {
    assert.ok(steps < 20, `${label} is in the pick`);
    await window.press('ArrowDown');
  }
}

async function showQuestion(window: Window): Promise<void> {
  await window.press('Control+Alt+m', 'q');
  await window.rows.filter({ hasText: 'Show everything' }).waitFor();
  const focused = window.page.locator('.quick-input-list .monaco-list-row.focused');
  await focused.filter({ hasText: 'Deny' }).waitFor();
}

scene(
  'a command is denied with a word, another one allowed',
  { 'greet.py': TEXT },
  [
    touching('denied.txt', { status: 'denied', contains: 'not here' }),
    touching('made.txt', { status: 'ok' }),
    say('Done.'),
  ],
  async (window, workspace) => {
    const { page } = window;
    await window.open('greet.py');
    await (await window.codeAction('Explain')).first().waitFor();
    await window.press('Enter');

    // It cannot be missed, and takes nothing away.
    const toast = page.locator('.notifications-toasts .notification-list-item', { hasText: 'denied.txt' });
    await toast.waitFor();
    const item = page.locator('#mewcode\\.mewcode\\.mewcode\\.status, [id*="mewcode.status"]').first();
    await item.filter({ hasText: '1 question' }).waitFor();
    await page.locator('.activitybar .action-item .badge-content', { hasText: '1' }).waitFor();
    await window.screenshot('questions-1-comes');
    // As it is, in the progress of the run too: neither a link nor an icon.
    const command = 'echo $\u2060(pwd)';
    assert.ok((await toast.innerText()).includes(command));
    const progress = page.locator('.statusbar-item', { hasText: 'waits for your answer' });
    await until('the command in the status bar', async () => (await progress.innerText()).includes(command));
    await window.toStart();
    await window.type('typed ');
    await window.shows(/^typed def greet/);

    // Words that are typed into it allow nothing, whatever they match.
    await showQuestion(window);
    await window.screenshot('questions-2-shown');
    await window.type('allow once');
    await window.press('Enter');
    // Enter has come to the pick that took the words, or to the one in its place, whose refusal asks for a word.
    const pick = page.locator('.quick-input-widget');
    await until('the end of the pick', async () => {
      await window.press('Escape');
      return pick.isHidden();
    });
    assert.ok(!workspace.exists('denied.txt'));
    await item.filter({ hasText: '1 question' }).waitFor();

    await showQuestion(window);
    await window.press('Enter');
    await page.locator('.quick-input-widget', { hasText: 'Cancelling leaves the question open' }).waitFor();
    await window.type('not here');
    await window.screenshot('questions-3-word');
    await window.press('Enter');

    // The next one is told of in place of the first.
    const next = page.locator('.notifications-toasts .notification-list-item', { hasText: 'made.txt' });
    await next.waitFor();
    await toast.waitFor({ state: 'detached' });
    assert.ok(!workspace.exists('denied.txt'));
    await window.command('Focus on Questions View');
    const tree = page.locator('.pane', { hasText: 'Questions' });
    await tree.locator('.monaco-list-row', { hasText: 'What will happen' }).waitFor();
    await window.press('End');
    await tree.locator('.monaco-list-row', { hasText: 'Allow once' }).waitFor();
    await window.screenshot('questions-4-tree');
    await showQuestion(window);
    await goTo(window, 'Allow once');
    await window.press('Enter');
    await until('the file', () => workspace.exists('made.txt'));
    await next.waitFor({ state: 'detached' });
    await item.filter({ hasNotText: 'question' }).waitFor();
    await window.screenshot('questions-5-done');
    assert.equal(workspace.disk('greet.py'), TEXT, 'nothing was saved');
  },
);

scene(
  'words for an answer outlive the pick and the field, and are gone on with',
  { 'greet.py': TEXT },
  [
    call(
      'ask_user',
      { question: 'Tabs or blanks?', options: ['tabs', 'blanks'] },
      { status: 'ok', contains: 'neither of both' },
    ),
    touching('denied.txt', { status: 'denied', contains: 'not here' }),
    say('Done.'),
  ],
  async (window, workspace) => {
    const { page } = window;
    const has = (words: string): Promise<unknown> =>
      until(`“${words}” in the field`, async () => (await window.input.inputValue()) === words);
    await window.open('greet.py');
    await window.prompt('ask');
    await window.status(/1 question/);
    await window.press('Control+Alt+m', 'q');
    await window.rows.filter({ hasText: 'blanks' }).first().waitFor();
    await window.type('neither');
    await window.rows.filter({ hasText: 'Answer: neither' }).waitFor();
    await window.press('Escape');
    await window.input.waitFor({ state: 'hidden' });
    await window.press('Control+Alt+m', 'q');
    await window.rows.filter({ hasText: 'Answer: neither' }).waitFor();
    await has('neither');
    await window.type(' of both');
    await window.rows.filter({ hasText: 'Answer: neither of both' }).waitFor();
    await window.screenshot('questions-6-own-words');
    await window.press('Enter');

    await page.locator('.notifications-toasts .notification-list-item', { hasText: 'denied.txt' }).waitFor();
    const field = page.locator('.quick-input-widget', { hasText: 'Cancelling leaves the question open' });
    await showQuestion(window);
    await window.press('Enter');
    await field.waitFor();
    await window.type('not');
    await has('not');
    await window.press('Escape');
    await window.input.waitFor({ state: 'hidden' });
    await showQuestion(window);
    await window.press('Enter');
    await field.waitFor();
    await has('not');
    await window.type(' here');
    await has('not here');
    await window.press('Enter');
    // What is expected of the results is judged by the run: one that fails does not end so.
    await page.locator('.statusbar', { hasText: 'MewCode is done' }).waitFor();
    assert.ok(!workspace.exists('denied.txt'));
  },
);
