// Hunks as a person sees them in the real workbench and decides on them by keys.

import * as assert from 'node:assert/strict';
import { call, read, say } from '../harness/turns.ts';
import { until, type Window } from '../harness/window.ts';
import type { Files, Turn } from '../harness/workspace.ts';
import { scene } from './stage.ts';

const TEXT = `import sys


def greet(name):
    print("hi")
    print(name)


def leave():
    print("bye")
    return None


def main():
    greet(sys.argv[1])
    leave()
`;

const EDITS = [
  {
    old_string: '    print("hi")\n    print(name)\n',
    new_string: '    polite = name.title()\n    print(f"Good day, {polite}.")\n',
  },
  { old_string: '    return None\n', new_string: '' },
  {
    old_string: '    leave()\n',
    new_string: '    leave()\n\n\nif __name__ == "__main__":\n    main()\n',
  },
];

const DARK = 'Default Dark Modern';
const CONTRAST = 'Default High Contrast';

function files(theme?: string): Files {
  const settings = theme === undefined ? {} : { 'workbench.colorTheme': theme };
  return { 'greet.py': TEXT, '.vscode/settings.json': JSON.stringify(settings) };
}

function turns(expect: object): Turn[] {
  const reason = 'Greet politely.\n[and run](command:workbench.action.closeWindow)';
  const edits = call('edit_file', { path: 'greet.py', edits: EDITS }, expect);
  return [read('greet.py'), { text: reason, ...edits }, say('Done.')];
}

/** Opens the file and lets the agent begin. */
async function begin(window: Window): Promise<void> {
  await window.open('greet.py');
  await window.prompt('be polite');
}

function widgets(window: Window) {
  return window.page.locator('.review-widget:visible');
}

function lenses(window: Window) {
  return window.page.locator('.codelens-decoration:visible').filter({ hasText: 'Reject' });
}

/** Goes to the next hunk; where that is. */
async function next(window: Window, place: string): Promise<void> {
  await window.press('Control+Alt+M', 'n');
  await window.page.locator('.statusbar', { hasText: place }).waitFor();
}

/** Waits until so many blocks are shown between the lines. */
async function blocks(window: Window, count: number): Promise<void> {
  await until(`${count} blocks`, async () => (await widgets(window).count()) === count);
}

/** Saves and waits for what the disk holds then. */
async function saved(window: Window, disk: () => string, text: string): Promise<void> {
  await window.press('Control+S');
  await until(JSON.stringify(text), () => disk() === text);
}

const ACCEPTED = TEXT.replace(EDITS[0]?.old_string ?? '', EDITS[0]?.new_string ?? '');

scene(
  'proposals are seen in the document and decided by keys',
  files(),
  turns({ status: 'ok' }),
  async (window, workspace) => {
    await begin(window);
    await blocks(window, 2);
    await window.shows(/print\("hi"\)/);
    await until('the lenses', async () => (await lenses(window).count()) === 3);
    await window.screenshot('review-before-light');
    // The focus is where it was: in the text.
    await window.toStart();
    await window.type('# mine\n');
    await window.shows(/# mine\n/);
    await next(window, 'hunk 1 of 3');
    await window.press('Alt+Enter');
    await window.shows(/Good day/);
    await blocks(window, 1);
    await next(window, 'hunk 1 of 2');
    await window.press('Alt+Backspace');
    await until('the second hunk’s end', async () => (await lenses(window).count()) === 1);
    await next(window, 'hunk 1 of 1');
    await window.press('Alt+Backspace');
    await blocks(window, 0);
    await window.screenshot('review-decided-light');
    await saved(window, () => workspace.disk('greet.py'), `# mine\n${ACCEPTED}`);
  },
);

scene(
  'a conflict looks different and asks whose lines are to stand',
  files(DARK),
  turns({ status: 'ok' }),
  async (window, workspace) => {
    await begin(window);
    await blocks(window, 2);
    await until('the lenses', async () => (await lenses(window).count()) === 3);
    await window.screenshot('review-before-dark');
    await window.press('Control+Alt+M', 'n');
    await window.press('Control+Alt+M', 'n');
    await next(window, 'hunk 3 of 3');
    await next(window, 'hunk 1 of 3');
    await window.type('# ');
    await widgets(window).filter({ hasText: 'You changed this too' }).waitFor();
    await window.screenshot('review-conflict-dark');
    await window.press('Alt+Enter');
    await window.rows.filter({ hasText: 'Keep mine' }).waitFor();
    await window.screenshot('review-conflict-pick-dark');
    await window.press('ArrowDown', 'ArrowDown', 'Enter');
    await window.shows(/# {5}print\("hi"\)\n {4}print\(name\)\n {4}polite/);
    await window.press('Control+Alt+M', 'Shift+R');
    await blocks(window, 0);
    const [first] = EDITS;
    const both = TEXT.replace(first?.old_string ?? '', `# ${first?.old_string}${first?.new_string}`);
    await saved(window, () => workspace.disk('greet.py'), both);
  },
);

scene(
  'the diff is a key away, read-only, and decided in by the same keys',
  files(DARK),
  turns({ status: 'ok' }),
  async (window, workspace) => {
    await begin(window);
    await blocks(window, 2);
    await next(window, 'hunk 1 of 3');
    await window.press('Control+Alt+M', 'd');
    const diff = window.page
      .locator(
        '.editor-group-container.active .diff-editor-wrapper, .editor-group-container.active .monaco-diff-editor',
      )
      .first();
    await diff.waitFor();
    await diff.locator('.view-line', { hasText: 'Good day' }).first().waitFor();
    await window.screenshot('review-diff-dark');
    await window.press('Alt+Enter');
    await diff.waitFor({ state: 'detached' });
    await window.shows(/Good day/);
    await window.press('Control+Alt+M', 'Shift+R');
    await blocks(window, 0);
    await saved(window, () => workspace.disk('greet.py'), ACCEPTED);
  },
);

scene(
  'a word goes to the agent with a rejection, and the list of hunks goes to one',
  files(),
  turns({ status: 'denied', contains: 'plain greetings please' }),
  async (window, workspace) => {
    await begin(window);
    await blocks(window, 2);
    await window.press('Control+End');
    await window.press('Control+Alt+M', 'h');
    await window.rows.filter({ hasText: 'greet.py:5' }).waitFor();
    await window.screenshot('review-list-light');
    await window.press('Enter');
    await window.input.waitFor({ state: 'hidden' });
    await window.press('Control+Alt+M', 'Shift+N');
    await window.page.locator('.statusbar', { hasText: /hunk \d of 3/ }).waitFor();
    await window.command('Reject This Hunk with a Word to the Agent');
    await window.page.locator('.quick-input-widget', { hasText: 'What the agent should know' }).waitFor();
    await window.type('plain greetings please');
    await window.press('Enter');
    await until('one hunk less', async () => (await lenses(window).count()) === 2);
    await window.press('Control+Alt+M', 'Shift+R');
    await blocks(window, 0);
    assert.equal(workspace.disk('greet.py'), TEXT);
  },
);

scene('proposals in high contrast', files(CONTRAST), turns({ status: 'denied' }), async (window) => {
  await begin(window);
  await blocks(window, 2);
  await window.toStart();
  await next(window, 'hunk 1 of 3');
  await window.type('x');
  await widgets(window).filter({ hasText: 'You changed this too' }).waitFor();
  await window.screenshot('review-contrast');
});

scene(
  'what landed is marked, with what was there below, and reverted by a key',
  files(DARK),
  turns({ status: 'ok' }),
  async (window, workspace) => {
    await window.open('greet.py');
    await window.page.locator('.statusbar', { hasText: 'MewCode: default' }).waitFor();
    await window.press('Control+Alt+M', 'm');
    await window.rows.filter({ hasText: 'Accept edits' }).first().waitFor();
    await window.type('Accept edits');
    await window.press('Enter');
    await window.page.locator('.statusbar', { hasText: /MewCode: accept.edits/i }).waitFor();
    await begin(window);
    await blocks(window, 2);
    await window.screenshot('review-after-dark');
    await next(window, 'hunk 1 of 3');
    await window.press('Alt+Backspace');
    await window.shows(/print\("hi"\)/);
    await window.press('Control+Alt+M', 'Shift+R');
    await blocks(window, 0);
    await until('the old text', () => workspace.disk('greet.py') === TEXT);
  },
);
