// The main job in the real workbench, by keyboard alone, with a picture of each stage: prompts by key and from the palette, hunks seen in
// the text and side by side, decided by key, code action and lens, a question answered, the mode switched, a run stopped, all of it in
// the transcript.

import * as assert from 'node:assert/strict';
import { call, edit, read, say } from '../harness/turns.ts';
import { until } from '../harness/window.ts';
import { scene } from './stage.ts';

const TEXT = `import sys


def greet(name):
    print("hi " + name)


def leave(name):
    print("bye " + name)


def main():
    greet(sys.argv[1])
    leave(sys.argv[1])
`;

const EDITS = [
  { old_string: '    print("hi " + name)', new_string: '    print("Good day, " + name)' },
  { old_string: '    print("bye " + name)', new_string: '    print("Farewell, " + name)' },
  { old_string: '    leave(sys.argv[1])\n', new_string: '    leave(sys.argv[1])\n\n\nmain()\n' },
];

const POLITE = EDITS.reduce((text, one) => text.replace(one.old_string, one.new_string), TEXT);

scene(
  'the main job',
  { 'greet.py': TEXT },
  [
    read('greet.py'),
    call('edit_file', { path: 'greet.py', edits: EDITS }),
    call('bash', { command: 'echo polite && touch made.txt', description: 'leave a file' }),
    say('Polite now, see `greet.py:5`.'),
    edit('greet.py', 'Farewell, ', 'Until soon, '),
    say('Shorter now.'),
    call('bash', { command: 'sleep 60 && touch never.txt' }, { status: 'interrupted' }),
  ],
  async (window, workspace) => {
    const { page } = window;
    await window.open('greet.py');
    await window.prompt('make it polite');

    // The hunks are seen, and change nothing.
    await page.locator('.codelens-decoration', { hasText: 'Accept' }).first().waitFor();
    await window.status(/3 hunks/);
    await window.screenshot('main-job-1-hunks');
    await window.shows(/print\("hi " \+ name\)/);
    assert.equal(workspace.disk('greet.py'), TEXT);

    await window.nextHunk(5);
    await window.press('Control+Alt+M', 'd');
    const diff = page.locator('.editor-group-container.active .monaco-diff-editor').first();
    await diff
      .locator('.view-line', { hasText: /Good.day/ })
      .first()
      .waitFor();
    await window.screenshot('main-job-2-side-by-side');
    await window.command('View: Close Editor');
    await diff.waitFor({ state: 'detached' });
    assert.equal(workspace.disk('greet.py'), TEXT, 'closing decides nothing');

    // One by its lens, one by a code action, one by key.
    await window.toStart();
    await window.nextHunk(5);
    await window.lenses();
    await window.screenshot('main-job-3-lenses');
    await window.choose('.quick-input-list .monaco-list-row', 'Accept');
    await window.shows(/Good day/);
    await window.nextHunk(9);
    await (await window.codeAction('Accept this hunk')).first().waitFor();
    await window.screenshot('main-job-4-code-actions');
    await window.choose('.action-widget .monaco-list-row.action', 'Accept this hunk');
    await window.shows(/Farewell/);
    await window.nextHunk(14);
    await window.press('Control+Alt+M', 'a');
    await until('the text on disk', () => workspace.disk('greet.py') === POLITE);

    // A question comes, and is answered.
    await window.status(/1 question/);
    await window.press('Control+Alt+M', 'q');
    await window.rows.filter({ hasText: 'Allow once' }).waitFor();
    await window.screenshot('main-job-5-question');
    assert.ok(!workspace.exists('made.txt'));
    await window.choose('.quick-input-list .monaco-list-row', 'Allow once');
    await until('the file', () => workspace.exists('made.txt'));
    await window.status(/^(?!.*question)/);

    // Another mode, and a prompt from the palette.
    await window.press('Control+Alt+M', 'm');
    await window.rows.first().waitFor();
    await window.screenshot('main-job-6-modes');
    await window.choose('.quick-input-list .monaco-list-row', 'Accept edits');
    await window.status(/accept_edits/);
    await window.command('MewCode: Prompt…');
    await window.write('until soon', 'Send');
    const soon = POLITE.replace('Farewell', 'Until soon');
    await until('the text on disk', () => workspace.disk('greet.py') === soon);
    await window.shows(/Until soon/);
    await window.screenshot('main-job-7-applied-at-once');
    await window.press('Control+Alt+M', 'Shift+A');
    await window.status(/^(?!.*hunk)/);

    // A run is stopped in the middle of a command.
    await window.prompt('one more file');
    await window.status(/running/);
    await window.press('Control+Alt+M', 's');
    await window.status(/^(?!.*running)/);

    await window.press('Control+Alt+M', 't');
    const transcript = await window.transcript();
    await until('the whole of it', async () => {
      const words = await transcript.locator('body').innerText();
      return /Polite now[\s\S]*Shorter now[\s\S]*one more file/.test(words);
    });
    await window.screenshot('main-job-8-transcript');
    assert.ok(!workspace.exists('never.txt'));
    assert.equal(workspace.disk('greet.py'), soon);
  },
);
