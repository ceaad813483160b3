// Prompting and watching by keyboard alone: words about a selection with a file picked, a transcript that grows, a link followed.

import * as assert from 'node:assert/strict';
import type { Frame } from 'playwright-core';
import { edit, read, say } from '../harness/turns.ts';
import { until, type Window } from '../harness/window.ts';
import { scene } from './stage.ts';

/** The page of the transcript, when it is there. */
async function transcript(window: Window): Promise<Frame> {
  return until('the transcript', async () => {
    for (const frame of window.page.frames()) {
      const found = await frame.$('main#text').catch(() => null);
      if (found) {
        return frame;
      }
    }
    return undefined;
  });
}

/** What the page shows. */
async function words(page: Frame): Promise<string> {
  return page.locator('body').innerText();
}

scene(
  'a prompt about a selection, with a file, watched in the transcript',
  {
    'greet.py': 'def greet():\n    print("hi")\n',
    'src/words.py': 'HI = "hi"\nBYE = "bye"\n',
  },
  [
    read('greet.py'),
    edit('greet.py', 'hi', 'good day'),
    say('Polite now. See `src/words.py:2` and [x](command:workbench.action.quit) <b>bold</b>.'),
  ],
  async (window) => {
    await window.open('greet.py');
    await window.toStart();
    await window.press('Shift+ArrowDown', 'Shift+ArrowDown');
    await window.press('Control+Alt+M', 'p');
    await window.input.waitFor();
    await window.page.locator('.quick-input-title', { hasText: 'Prompt about greet.py:1-2' }).waitFor();
    await window.type('be polite as @wor');
    await window.rows.filter({ hasText: 'words.py' }).first().waitFor();
    await window.screenshot('talk-1-file');
    await window.press('Enter');
    await until(
      'the completion',
      async () => (await window.input.inputValue()) === 'be polite as @src/words.py ',
    );
    await window.type('do');

    // What is typed outlives the field, and is gone on with.
    await window.press('Escape');
    await window.input.waitFor({ state: 'hidden' });
    await window.press('Control+Alt+M', 'p');
    await window.input.waitFor();
    await until(
      'the words',
      async () => (await window.input.inputValue()) === 'be polite as @src/words.py do',
    );
    await window.type('es');
    assert.equal(await window.input.inputValue(), 'be polite as @src/words.py does');
    await window.rows.filter({ hasText: 'Send' }).first().waitFor();
    await window.screenshot('talk-2-words');
    await window.press('Enter');

    await window.page.locator('.statusbar', { hasText: 'edit_file' }).waitFor();
    await window.press('Control+Alt+M', 't');
    const page = await transcript(window);
    await until('the prompt', async () => (await words(page)).includes('be polite as @src/words.py does'));
    await until('the call', async () => (await words(page)).includes('… edit_file greet.py'));
    await window.screenshot('talk-3-waits');

    // The page of the transcript may take the keys a moment after it is drawn.
    await until('the editor to have the keys', async () => {
      await window.press('Control+1');
      return (await window.page.locator('.monaco-editor.focused').count()) > 0;
    });
    await window.codeAction('Accept this hunk');
    await window.screenshot('talk-4-actions');
    // The decision is what is meant here, and not one of the wishes about the code.
    const first = window.page.locator('.action-widget .monaco-list-row.action').first();
    assert.match(await first.innerText(), /Accept this hunk/);
    await window.choose('.action-widget .monaco-list-row.action', 'Accept this hunk');
    await until('the end', async () => (await words(page)).includes('Polite now.'));
    const shown = await words(page);
    assert.match(shown, /✓ edit_file greet\.py/);
    assert.match(shown, /\[x\]\(command:workbench\.action\.quit\) <b>bold<\/b>/, 'it is text');
    await page.locator('a[data-target="src/words.py:2"]').waitFor();
    await window.screenshot('talk-5-end');

    // Back into the transcript, to its links.
    await window.press('Control+Alt+M', 't');
    await until('the focus', () => page.evaluate(() => document.hasFocus()));
    await until('the link', async () => {
      await window.press('Tab');
      return page.evaluate(() => document.activeElement?.getAttribute('data-target') === 'src/words.py:2');
    });
    await window.press('Enter');
    await window.page.locator('.tab.active[data-resource-name="words.py"]').waitFor();
    await until('the line', async () =>
      (await window.page.locator('.statusbar').innerText()).includes('Ln 2, Col 1'),
    );
    await window.screenshot('talk-6-link');
  },
);

scene(
  'a transcript of five megabytes does not hold the window up',
  { 'greet.py': 'x = 1\n' },
  [
    say('Some words of no great weight, `greet.py:1`, and *more* of them.\n\n'.repeat(80_000)),
    say('The end.'),
  ],
  async (window) => {
    await window.open('greet.py');
    await window.press('Control+Alt+M', 'p');
    await window.input.waitFor();
    await window.type('talk');
    await window.rows.filter({ hasText: 'Send' }).first().waitFor();
    await window.press('Enter');
    await window.page.locator('.statusbar', { hasText: 'MewCode is done' }).waitFor();
    const begun = Date.now();
    await window.press('Control+Alt+M', 't');
    const page = await transcript(window);
    await page.locator('section').last().getByText('Some words').last().waitFor();
    console.log(`# the end is seen after ${Date.now() - begun} ms`);
    // While the rest is drawn, the page goes on answering.
    const longest = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const from = performance.now();
          let last = from;
          let gap = 0;
          const beat = (): void => {
            const now = performance.now();
            gap = Math.max(gap, now - last);
            last = now;
            if (now - from < 3000) {
              setTimeout(beat, 0);
            } else {
              resolve(gap);
            }
          };
          beat();
        }),
    );
    console.log(`# the longest pause is ${Math.round(longest)} ms`);
    assert.ok(longest < 1500, `${longest} ms`);
    await window.screenshot('talk-7-long');

    // The reader stays where they went.
    // What is drawn above while the reader is there leaves the place as it is, so it takes a key more.
    await until('the beginning', async () => {
      await page.locator('body').press('Home');
      return page.evaluate(() => document.documentElement.scrollTop === 0);
    });
    await page.locator('#end').waitFor();
  },
);

scene(
  'progress is in the status bar, covers nothing, and is cancelled from there',
  { 'greet.py': 'print("hi")\n' },
  [read('greet.py'), edit('greet.py', 'hi', 'good day'), say('Not reached.')],
  async (window) => {
    await window.open('greet.py');
    await window.press('Control+Alt+M', 'p');
    await window.input.waitFor();
    await window.type('be polite');
    await window.rows.filter({ hasText: 'Send' }).first().waitFor();
    await window.press('Enter');
    const progress = window.page.locator('.statusbar-item', { hasText: 'MewCode: edit_file greet.py' });
    await progress.waitFor();
    assert.equal(
      await window.page
        .locator('.notifications-toasts .notification-list-item', { hasText: 'edit_file' })
        .count(),
      0,
    );
    await window.command('Notifications: Show Notifications');
    const item = window.page.locator('.notifications-center .notification-list-item', {
      hasText: 'edit_file',
    });
    await item.waitFor();
    await window.screenshot('talk-8-progress');
    await item.getByRole('button', { name: 'Cancel', exact: true }).press('Enter');
    await item.waitFor({ state: 'detached' });
    await window.press('Escape');
    await window.press('Control+1');
    await window.press('Control+Alt+M', 't');
    const page = await transcript(window);
    await until('the end', async () => (await words(page)).includes('Stopped by the user.'));
  },
);

scene(
  'a transcript is there again when the window is loaded again, with what it said',
  { 'greet.py': 'print("hi")\n' },
  [say('Nothing to do here.')],
  async (window) => {
    await window.open('greet.py');
    await window.prompt('be polite');
    await window.page.locator('.statusbar', { hasText: 'MewCode is done' }).waitFor();
    await window.press('Control+Alt+M', 't');
    const before = await window.transcript();
    await until('the end', async () => (await words(before)).includes('Nothing to do here.'));
    await before.locator('body[data-kept=true]').waitFor();
    await window.reload();
    await window.serverRuns();
    const page = await window.transcript();
    await until('what it said', async () => (await words(page)).includes('Nothing to do here.'));
    await until('the note', async () => (await words(page)).includes('has ended'));
    await window.screenshot('talk-9-loaded-again');
  },
);
