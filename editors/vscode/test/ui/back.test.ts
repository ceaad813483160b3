// What is there again when the window is loaded again, and what has ended: texts without a file, changes of files that are not open
// and of those that are to be made, a question.

import * as assert from 'node:assert/strict';
import { call, read, say } from '../harness/turns.ts';
import { until } from '../harness/window.ts';
import { scene } from './stage.ts';

const LIST = 'one\ntwo\n';

scene(
  'a text without a file is there again, and so are the hunks of closed and of new files',
  { 'list.txt': LIST, 'other.txt': 'other\n' },
  [
    read('list.txt'),
    {
      calls: [
        { tool: 'edit_file', args: { path: 'list.txt', old_string: 'two', new_string: '2' } },
        { tool: 'write_file', args: { path: 'new.txt', content: 'fresh\n' } },
      ],
    },
    say('Done.'),
  ],
  async (window, workspace) => {
    await window.open('other.txt');
    await window.press('Control+Alt+N');
    await window.page.locator('.tab.active', { hasText: 'Untitled-1' }).waitFor();
    await window.type('a draft');
    await window.shows(/^a draft/);
    await window.prompt('digits');
    await window.status(/2 hunks/);
    await window.page.locator('.tab.active.dirty').waitFor();
    await window.reload();
    await window.serverRuns();
    await window.page.locator('.tab.active.dirty', { hasText: 'a draft' }).waitFor();
    await window.shows(/^a draft/);
    await window.status(/2 hunks/);
    await window.screenshot('back-draft');
    assert.equal(workspace.disk('list.txt'), LIST);
    assert.ok(!workspace.exists('new.txt'));
    await window.command('MewCode: Accept All Hunks');
    await until('the new file', () => workspace.exists('new.txt') && workspace.disk('new.txt') === 'fresh\n');
    await until('the list', () => workspace.disk('list.txt') === 'one\n2\n');
    await window.shows(/^a draft/);
    await window.command('File: Revert File');
  },
);

scene(
  'a question ends with the window that it was asked in: it is nowhere any more, and allows nothing',
  { 'greet.py': 'print("hi")\n' },
  [call('bash', { command: 'touch made.txt', description: 'leave a file' }), say('Done.')],
  async (window, workspace) => {
    const toasts = window.page.locator('.notifications-toasts .notification-list-item');
    await window.open('greet.py');
    await window.prompt('leave something');
    await window.status(/1 question/);
    await toasts.filter({ hasText: 'made.txt' }).waitFor();
    await window.press('Control+Alt+M', 't');
    const before = await window.transcript();
    await until('the command', async () =>
      (await before.locator('body').innerText()).includes('touch made.txt'),
    );
    await before.locator('body[data-kept=true]').waitFor();
    await window.reload();
    await window.serverRuns();
    const page = await window.transcript();
    const words = (): Promise<string> => page.locator('body').innerText();
    await until('what was asked, and that it has ended', async () =>
      /leave something[^]*touch made\.txt[^]*has ended/.test(await words()),
    );
    await window.status(/^(?!.*(?:question|running))/);
    await window.press('Control+Alt+M', 'q');
    await toasts.filter({ hasText: 'No question waits for you' }).waitFor();
    assert.equal(await toasts.filter({ hasText: 'made.txt' }).count(), 0);
    await window.screenshot('back-question');
    assert.ok(!workspace.exists('made.txt'));

    // Asked again, it is another question.
    await window.prompt('leave something');
    await window.status(/1 question/);
    await window.press('Control+Alt+M', 'q');
    await window.rows.filter({ hasText: 'Allow once' }).waitFor();
    await window.choose('.quick-input-list .monaco-list-row', 'Allow once');
    await until('the file', () => workspace.exists('made.txt'));
  },
);
