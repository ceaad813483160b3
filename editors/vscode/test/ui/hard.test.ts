// What must hold when much happens at once: fast typing under the agent's edits, two windows on one folder, a server that is killed,
// auto-save, a window that is loaded again. Nothing that was typed is lost, and what waited waits on.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { edit, read, say } from '../harness/turns.ts';
import { until, Window } from '../harness/window.ts';
import type { Workspace } from '../harness/workspace.ts';
import { scene, stage } from './stage.ts';

const LIST = 'one\n-\ntwo\n-\nthree\n';

/** Writes 2 where the list has “two”. */
const DIGIT = [read('list.txt'), edit('list.txt', 'two', '2'), say('Done.')];

/** Opens the list, types something before it, and has the agent propose its digit. */
async function begin(window: Window, typed = ''): Promise<void> {
  await window.open('list.txt');
  await window.toStart();
  await window.type(typed);
  await window.prompt('digits');
  await seesHunks(window);
}

/** Waits for lenses over hunks: so the user sees that they wait. */
async function seesHunks(window: Window): Promise<void> {
  await window.page.locator('.codelens-decoration', { hasText: 'Accept' }).first().waitFor();
}

/** Accepts the hunk on this line. */
async function accept(window: Window, line: number): Promise<void> {
  await window.nextHunk(line);
  await window.press('Control+Alt+M', 'a');
}

async function setMode(window: Window, mode: string): Promise<void> {
  await window.serverRuns();
  await window.press('Control+Alt+M', 'm');
  await window.rows.first().waitFor();
  await window.choose('.quick-input-list .monaco-list-row', mode);
  // The keyboard is the editor's again when the pick has gone.
  await window.input.waitFor({ state: 'hidden' });
}

/** The servers that were started for a workspace, by their folder. */
function servers(workspace: Workspace): number[] {
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter((process) => {
      try {
        const [, word] = fs.readFileSync(`/proc/${process}/cmdline`, 'utf8').split('\0');
        return word === 'lsp' && fs.readlinkSync(`/proc/${process}/cwd`) === workspace.root;
      } catch {
        // Not a process, not ours, or one that has ended meanwhile.
        return false;
      }
    });
}

const COUNT = 40;
/** Longer than one edit takes on a busy machine. */
const EDIT_MILLISECONDS = 3000;
const LINES = Array.from({ length: COUNT }, (_, number) => `line ${number} old${number}.\n`).join('');
const WORDS = 'every word of this is typed as fast as keys come and stands there once. '.repeat(3);

scene(
  'typing at full speed while the agent edits',
  { 'long.txt': `${LINES}mine: \n` },
  [
    read('long.txt'),
    ...Array.from({ length: COUNT }, (_, index) => {
      const number = (index * 7) % COUNT;
      return edit('long.txt', `old${number}.`, `new${number}.`);
    }),
    say('Done.'),
  ],
  async (window, workspace) => {
    await window.open('long.txt');
    await setMode(window, 'Accept edits');
    await window.press('Control+End', 'ArrowUp', 'End');
    await window.page.locator('.statusbar', { hasText: `Ln ${COUNT + 1}, Col 7` }).waitFor();
    await window.type('begun ');
    await window.prompt('all of them');
    await window.type(WORDS);
    await until(
      'the agent’s last edit',
      async () => {
        await window.press('Control+S');
        return /new\d+/.test(workspace.disk('long.txt')) && !workspace.disk('long.txt').includes('old');
      },
      COUNT * EDIT_MILLISECONDS,
    );
    assert.equal(workspace.disk('long.txt'), `${LINES.replaceAll('old', 'new')}mine: begun ${WORDS}\n`);
    await window.screenshot('hard-typing');
  },
);

scene(
  'two windows on one folder',
  { 'list.txt': LIST, 'notes.txt': 'notes\n' },
  DIGIT,
  async (first, workspace) => {
    const second = new Window(await (await stage()).open(workspace.root));
    await first.open('list.txt');
    await second.open('notes.txt');
    await second.toStart();
    await second.type('unsaved ');
    await second.open('list.txt');

    await first.page.bringToFront();
    await first.prompt('digits');
    await seesHunks(first);
    await second.page.bringToFront();
    assert.equal(await second.page.locator('.codelens-decoration').count(), 0, 'it is the other’s hunk');
    await first.page.bringToFront();
    await accept(first, 3);
    await until('the text on disk', () => workspace.disk('list.txt') === LIST.replace('two', '2'));
    await second.page.bringToFront();
    await second.shows(/one\n-\n2\n-/);

    // And the other way round, over what the first has written.
    workspace.script([read('list.txt'), edit('list.txt', 'three', '3'), say('Done.')]);
    await second.command('MewCode: Reload the Configuration');
    await second.command('MewCode: New Session');
    await second.prompt('digits');
    await seesHunks(second);
    await accept(second, 5);
    const both = 'one\n-\n2\n-\n3\n';
    await until('the text on disk', () => workspace.disk('list.txt') === both);
    await first.page.bringToFront();
    await first.shows(/one\n-\n2\n-\n3/);

    await second.page.bringToFront();
    await second.open('notes.txt');
    await second.shows(/^unsaved notes/);
    await second.screenshot('hard-two-windows');
    assert.equal(workspace.disk('notes.txt'), 'notes\n');
    await second.command('File: Revert File');
    await second.close();
  },
);

scene(
  'the server is killed in the middle of a run while a file is dirty',
  { 'list.txt': LIST },
  DIGIT,
  async (window, workspace) => {
    await begin(window, 'mine ');
    const [server, ...others] = servers(workspace);
    assert.ok(server !== undefined && others.length === 0, 'one server runs for the folder');
    process.kill(server, 'SIGKILL');
    await window.type('too ');
    await until('another server', () => {
      const [next] = servers(workspace);
      return next !== undefined && next !== server;
    });
    await window.shows(/^mine too one\n-\ntwo/);
    // What the server that is gone said of its hunks may stand there still; only the next one says this.
    const toasts = window.page.locator('.notifications-toasts .notification-list-item');
    await toasts.filter({ hasText: 'from before the restart' }).waitFor();
    await window.status(/1 hunk/);
    await seesHunks(window);
    await window.screenshot('hard-killed');
    assert.equal(workspace.disk('list.txt'), LIST, 'nothing was saved');
    await accept(window, 3);
    await window.shows(/^mine too one\n-\n2\n-/);
    assert.equal(workspace.disk('list.txt'), LIST, 'saving is the user’s');
    await window.press('Control+S');
    await until('the text on disk', () => workspace.disk('list.txt') === 'mine too one\n-\n2\n-\nthree\n');
  },
);

scene(
  'auto-save saves what is typed and accepted, and no proposal',
  {
    'list.txt': LIST,
    '.vscode/settings.json': JSON.stringify({ 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 100 }),
  },
  DIGIT,
  async (window, workspace) => {
    await begin(window);
    await window.toStart();
    await window.type('mine ');
    await until('the typing on disk', () => workspace.disk('list.txt') === `mine ${LIST}`);
    await accept(window, 3);
    await until('the hunk on disk', () => workspace.disk('list.txt') === `mine ${LIST.replace('two', '2')}`);
    await window.screenshot('hard-auto-save');
  },
);

scene(
  'a window that is loaded again has its unsaved text and its hunks',
  { 'list.txt': LIST },
  DIGIT,
  async (window, workspace) => {
    await begin(window, 'mine ');
    await window.page.locator('.tab.active.dirty').waitFor();
    await window.reload();
    await window.open('list.txt');
    await window.shows(/^mine one\n-\ntwo/);
    await seesHunks(window);
    await window.screenshot('hard-loaded-again');
    assert.equal(workspace.disk('list.txt'), LIST);
    await accept(window, 3);
    await window.shows(/^mine one\n-\n2\n-/);
  },
);
