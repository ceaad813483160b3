// Going from hunk to hunk, through the list, and to the diffs.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { call, read, say } from '../harness/turns.ts';
import {
  BOTH,
  cursor,
  endReview,
  oneChange,
  patch,
  REJECTED,
  run,
  shownDiff,
  TEXT,
  textAt,
  textBecomes,
  twoChanges,
  type,
} from './review.ts';
import { Scene, until } from './scene.ts';

function place(scene: Scene): string {
  const editor = vscode.window.activeTextEditor;
  assert.ok(editor);
  const path = editor.document.uri.path.slice(scene.root.path.length + 1);
  return `${path}:${editor.selection.active.line}`;
}

suite('review: going', () => {
  let scene: Scene;
  teardown(async () => {
    await endReview(scene);
  });

  test('next and previous, through files that are not open, and round', async () => {
    const update = (file: string) => [
      ...[`*** Update File: ${file}`, '@@', '-two', '+TWO'],
      ...['@@', '-seven', '+SEVEN'],
    ];
    const turns = [
      read('a.txt'),
      read('b.txt'),
      call('apply_patch', patch(...update('a.txt'), ...update('b.txt')), REJECTED),
      say('.'),
    ];
    scene = await Scene.begin({ 'a.txt': TEXT, 'b.txt': TEXT, 'c.txt': TEXT }, turns);
    const editor = await scene.open('a.txt');
    cursor(editor, 3);
    await scene.prompt('change both');
    await scene.hunks('a.txt', 2);
    await scene.hunks('b.txt', 2);
    const seen: string[] = [];
    for (const command of ['next', 'next', 'next', 'next', 'previous', 'previous', 'next']) {
      await run(`mew.${command}Hunk`);
      seen.push(place(scene));
    }
    assert.deepEqual(seen, ['a.txt:6', 'b.txt:1', 'b.txt:6', 'a.txt:1', 'b.txt:6', 'b.txt:1', 'b.txt:6']);
    await scene.open('c.txt');
    await run('mew.nextHunk');
    assert.equal(place(scene), 'a.txt:1');
    // Keys that come faster than documents open are all counted.
    await Promise.all([run('mew.nextHunk'), run('mew.nextHunk'), run('mew.nextHunk')]);
    assert.equal(place(scene), 'b.txt:6');
  });

  test('the place of a hunk is told when the keys know that the cursor is on it, whoever told them', async () => {
    scene = await Scene.begin({ 'keys.txt': TEXT }, [
      ...oneChange('keys.txt', 'two', 'TWO\n', REJECTED),
      say('.'),
    ]);
    const editor = await scene.open('keys.txt');
    await scene.prompt('change it');
    await scene.hunks('keys.txt', 1);
    cursor(editor, 5);
    const { targets, jump } = scene.parts.review;
    await until('a cursor beside the hunk', () => targets.contexts.get('mewcode.onHunk') === false);
    const { commands, window } = vscode;
    const real = {
      executeCommand: commands.executeCommand,
      setStatusBarMessage: window.setStatusBarMessage,
      to: jump.to.bind(jump),
    };
    let tellKeys: (() => void) | undefined;
    let told = '';
    let arrived = false;
    const hold = async (id: string, ...given: unknown[]): Promise<unknown> => {
      if (id === 'setContext' && given[0] === 'mewcode.onHunk') {
        await new Promise<void>((resolve) => (tellKeys = resolve));
      }
      return real.executeCommand(id, ...given);
    };
    Object.assign(commands, { executeCommand: hold });
    Object.assign(window, { setStatusBarMessage: (words: string) => (told = words) });
    jump.to = async (...given) => {
      await real.to(...given);
      arrived = true;
    };
    try {
      // The user goes there, of which the keys hear late; the command for it finds the cursor there already.
      cursor(editor, 1);
      await until('the word to the keys', () => tellKeys);
      const gone = jump.go(1);
      await until('the cursor on the hunk', () => arrived);
      await targets.hunk();
      assert.equal(told, '');
      tellKeys?.();
      await gone;
      assert.match(told, /hunk 1 of 1/);
    } finally {
      Object.assign(commands, { executeCommand: real.executeCommand });
      Object.assign(window, { setStatusBarMessage: real.setStatusBarMessage });
      Reflect.deleteProperty(jump, 'to');
    }
  });

  test('the diff of a hunk and of a file; they follow what the user types; closing decides nothing', async () => {
    scene = await Scene.begin({ 'diff.txt': TEXT }, [...twoChanges('diff.txt', REJECTED), say('.')]);
    const editor = await scene.open('diff.txt');
    await scene.prompt('change it');
    const [, second] = await scene.hunks('diff.txt', 2);
    assert.ok(second);
    cursor(editor, 6);
    await run('mew.showDiff');
    const one = await shownDiff();
    assert.equal(one.title, 'diff.txt: as it is ↔ as MewCode would have it (+1 −1)');
    assert.equal(await textAt(one.without), TEXT);
    assert.equal(await textAt(one.with), TEXT.replace('seven', 'SEVEN'));
    const change = new vscode.WorkspaceEdit();
    change.insert(editor.document.uri, new vscode.Position(0, 0), 'mine\n');
    await vscode.workspace.applyEdit(change);
    const shown = await vscode.workspace.openTextDocument(one.with);
    await textBecomes(shown, `mine\n${TEXT.replace('seven', 'SEVEN')}`);
    await run('workbench.action.closeActiveEditor');
    assert.equal(scene.parts.hunks.of(editor.document.uri)?.hunks.length, 2);
    await run('mewcode.review.showDiff', { uri: scene.parts.server.fromUri(editor.document.uri) });
    const all = await shownDiff();
    assert.equal(all.title, 'diff.txt: without ↔ with MewCode’s changes');
    assert.equal(await textAt(all.with), `mine\n${BOTH}`);
  });

  test('the lens’s command shows the diff here', async () => {
    scene = await Scene.begin({ 'lens.txt': TEXT }, [...twoChanges('lens.txt', REJECTED), say('.')]);
    await scene.open('lens.txt');
    await scene.prompt('change it');
    const [first] = await scene.hunks('lens.txt', 2);
    assert.ok(first);
    await run('mewcode.review.showDiff', { hunk: first.id });
    assert.equal(await textAt((await shownDiff()).with), TEXT.replace('two', 'TWO\nand a half'));
  });

  test('the diff of everything is the server’s, as one text', async () => {
    scene = await Scene.begin({ 'all.txt': TEXT }, [...twoChanges('all.txt', REJECTED), say('.')]);
    await scene.open('all.txt');
    await scene.prompt('change it');
    await scene.hunks('all.txt', 2);
    await run('mewcode.review.showDiff', { all: true });
    const shown = await until('the text', () => {
      const document = vscode.window.activeTextEditor?.document;
      return document?.uri.path.endsWith('.diff') && document;
    });
    assert.match(shown.getText(), /^--- a\/all\.txt\n[^]*\n\+SEVEN\n/);
  });

  test('what landed: before on the left, the document on the right', async () => {
    const turns = [...twoChanges('landed.txt', { status: 'ok' }), say('.')];
    scene = await Scene.begin({ 'landed.txt': TEXT }, turns, 'accept_edits');
    const editor = await scene.open('landed.txt');
    await scene.prompt('change it');
    await scene.hunks('landed.txt', 2);
    cursor(editor, 1);
    await run('mew.showDiff');
    const diff = await shownDiff();
    assert.equal(diff.title, 'landed.txt: before ↔ after MewCode (+2 −1)');
    assert.equal(await textAt(diff.without), BOTH.replace('TWO\nand a half', 'two'));
    assert.equal(await textAt(diff.with), BOTH);
  });

  test('accepting from the diff closes it; in the diff of a file the cursor chooses', async () => {
    scene = await Scene.begin({ 'from.txt': TEXT }, [...twoChanges('from.txt', { status: 'ok' }), say('.')]);
    const { document } = await scene.open('from.txt');
    await scene.prompt('change it');
    await scene.hunks('from.txt', 2);
    await run('mewcode.review.showDiff', { uri: scene.parts.server.fromUri(document.uri) });
    const all = await shownDiff();
    const active = await until('the diff’s editor', () => {
      const editor = vscode.window.activeTextEditor;
      return editor?.document.uri.toString() === all.with.toString() && editor;
    });
    // On the right side: the first hunk has a line more there.
    cursor(active, 7);
    await until('on a hunk', () => scene.parts.review.targets.contexts.get('mewcode.onHunk'));
    await run('mew.acceptHunk');
    await textBecomes(document, TEXT.replace('seven', 'SEVEN'));
    await scene.hunks('from.txt', 1);
    assert.ok(vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff);
    await run('mew.acceptFile');
    await textBecomes(document, BOTH);
    await until(
      'the diff’s end',
      () => !(vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff),
    );
    await scene.ended();
  });

  test('a new file and a removal are shown against nothing', async () => {
    const turns = [
      read('old.txt'),
      call('apply_patch', patch('*** Delete File: old.txt', '*** Add File: new/new.py', '+fresh'), REJECTED),
      say('.'),
    ];
    scene = await Scene.begin({ 'old.txt': 'a\nb\n' }, turns);
    await scene.prompt('replace it');
    const [removal] = await scene.hunks('old.txt', 1);
    await scene.hunks('new/new.py', 1);
    assert.ok(removal);
    await run('mew.nextHunk');
    const addition = await shownDiff();
    assert.deepEqual([await textAt(addition.without), await textAt(addition.with)], ['', 'fresh\n']);
    assert.equal((await vscode.workspace.openTextDocument(addition.with)).languageId, 'python');
    await run('mew.nextHunk');
    assert.equal(place(scene), 'old.txt:0');
    await run('mew.showDiff', { hunk: removal.id });
    const gone = await shownDiff();
    assert.equal(gone.title, 'old.txt: Remove this file (−2)');
    assert.deepEqual([await textAt(gone.without), await textAt(gone.with)], ['a\nb\n', '']);
  });

  test('a removal that has happened is passed by, and decided in its diff by the keys', async () => {
    const turns = [
      ...[read('a.txt'), read('gone.txt'), read('z.txt')],
      call(
        'apply_patch',
        patch(
          ...['*** Update File: a.txt', '@@', '-two', '+TWO', '*** Delete File: gone.txt'],
          ...['*** Update File: z.txt', '@@', '-two', '+TWO'],
        ),
        { status: 'ok' },
      ),
      say('.'),
    ];
    scene = await Scene.begin({ 'a.txt': TEXT, 'gone.txt': 'a\nb\n', 'z.txt': TEXT }, turns, 'accept_edits');
    cursor(await scene.open('a.txt'), 0);
    await scene.prompt('change and remove');
    await scene.hunks('a.txt', 1);
    await scene.hunks('gone.txt', 1);
    await scene.hunks('z.txt', 1);
    await scene.ended();
    await run('mew.nextHunk');
    assert.equal(place(scene), 'a.txt:1');
    await run('mew.nextHunk');
    const diff = await shownDiff();
    assert.equal(diff.title, 'gone.txt: Removed this file (−2)');
    assert.deepEqual([await textAt(diff.without), await textAt(diff.with)], ['a\nb\n', '']);
    assert.equal(scene.parts.review.targets.contexts.get('mewcode.onHunk'), true);
    await run('mew.nextHunk');
    assert.equal(place(scene), 'z.txt:1');
    await run('mew.previousHunk');
    await shownDiff();
    await run('mew.rejectHunk');
    await until('the file', () => scene.exists('gone.txt'));
    await until('the diff’s end', () => vscode.window.tabGroups.all.every(({ tabs }) => tabs.length === 2));
    assert.equal(scene.disk('gone.txt'), 'a\nb\n');
  });

  test('a move is shown side by side, and decided there', async () => {
    const turns = [
      read('from.txt'),
      call(
        'apply_patch',
        patch('*** Update File: from.txt', '*** Move to: to.txt', '@@', '-seven', '+SEVEN'),
        { status: 'ok' },
      ),
      say('.'),
    ];
    scene = await Scene.begin({ 'from.txt': TEXT }, turns);
    await scene.open('from.txt');
    await scene.prompt('move it');
    await scene.hunks('from.txt', 1);
    await run('mew.showDiff');
    const diff = await shownDiff();
    assert.equal(diff.title, 'from.txt: Move to to.txt (+1 −1)');
    assert.match(await textAt(diff.without), /^from\.txt\n…\nfour\nfive\nsix\nseven\neight\n$/);
    assert.match(await textAt(diff.with), /^to\.txt\n…\nfour\nfive\nsix\nSEVEN\neight\n$/);
    await until('its editor', () => vscode.window.activeTextEditor?.document.uri.scheme === 'mewcode-hunk');
    await run('mew.acceptHunk');
    const moved = TEXT.replace('seven', 'SEVEN');
    await until('the move', () => scene.exists('to.txt') && scene.disk('to.txt') === moved);
    await scene.ended();
  });

  test('the list previews each hunk, and leaves the editor as it was when it is closed', async () => {
    const turns = [...oneChange('listed.txt', 'six', 'SIX\n', REJECTED), say('.')];
    scene = await Scene.begin({ 'listed.txt': TEXT, 'mine.txt': TEXT }, turns);
    const editor = await scene.open('mine.txt');
    cursor(editor, 4);
    await scene.prompt('change it');
    await scene.hunks('listed.txt', 1);
    await run('mew.review');
    await until('the preview', () =>
      vscode.window.visibleTextEditors.some(({ document }) => document.uri.path.endsWith('listed.txt')),
    );
    await run('workbench.action.closeQuickOpen');
    await until('the editor', () => vscode.window.activeTextEditor?.document.uri.path.endsWith('mine.txt'));
    assert.equal(place(scene), 'mine.txt:4');
    await run('mew.review');
    await until('the preview', () =>
      vscode.window.visibleTextEditors.some(({ document }) => document.uri.path.endsWith('listed.txt')),
    );
    await run('workbench.action.acceptSelectedQuickOpenItem');
    await until('the hunk', () => place(scene) === 'listed.txt:5');
    const now = vscode.window.activeTextEditor;
    assert.ok(now);
    await type(now, 0, 'mine\n');
    assert.equal(scene.parts.hunks.of(now.document.uri)?.hunks.length, 1);
  });
});
