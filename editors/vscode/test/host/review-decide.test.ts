// Accepting and rejecting by each command, and what stands in the document afterwards.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { call, read, say } from '../harness/turns.ts';
import {
  answer,
  blocks,
  BOTH,
  cursor,
  endReview,
  oneChange,
  patch,
  REJECTED,
  run,
  TEXT,
  textBecomes,
  twoChanges,
  type,
} from './review.ts';
import { Scene, until } from './scene.ts';

suite('review: deciding', () => {
  let scene: Scene;
  teardown(async () => {
    await endReview(scene);
  });

  test('accept the hunk at the cursor, reject the other; one undo takes the accepted one back', async () => {
    scene = await Scene.begin({ 'one.txt': TEXT }, [...twoChanges('one.txt', { status: 'ok' }), say('.')]);
    const { document } = await scene.open('one.txt');
    await scene.prompt('change it');
    await scene.hunks('one.txt', 2);
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    cursor(editor, 6);
    await run('mew.acceptHunk');
    await textBecomes(document, TEXT.replace('seven', 'SEVEN'));
    await scene.hunks('one.txt', 1);
    cursor(editor, 1);
    await run('mew.rejectHunk');
    await scene.ended();
    assert.equal(document.getText(), TEXT.replace('seven', 'SEVEN'));
    await run('undo');
    assert.equal(document.getText(), TEXT);
  });

  test('a command between hunks decides nothing', async () => {
    scene = await Scene.begin({ 'between.txt': TEXT }, [...twoChanges('between.txt', REJECTED), say('.')]);
    const editor = await scene.open('between.txt');
    await scene.prompt('change it');
    await scene.hunks('between.txt', 2);
    cursor(editor, 4);
    await run('mew.acceptHunk');
    await run('mew.rejectHunk');
    await run('mew.rejectWithReason');
    assert.equal(scene.parts.hunks.of(editor.document.uri)?.hunks.length, 2);
    await run('mew.rejectAll');
    await scene.ended();
  });

  test('a hunk that a view names, with the cursor elsewhere', async () => {
    scene = await Scene.begin({ 'named.txt': TEXT }, [
      ...twoChanges('named.txt', { status: 'ok' }),
      say('.'),
    ]);
    const { document } = await scene.open('named.txt');
    await scene.prompt('change it');
    const [first, second] = await scene.hunks('named.txt', 2);
    assert.ok(first && second);
    await run('mew.acceptHunk', { hunk: second.id });
    await textBecomes(document, TEXT.replace('seven', 'SEVEN'));
    const thread = scene.parts.review.blocks.of(document.uri).get(first.id);
    await run('mew.rejectHunk', thread);
    await scene.ended();
    assert.equal(document.getText(), TEXT.replace('seven', 'SEVEN'));
  });

  test('accept the file; reject the file', async () => {
    const turns = [...twoChanges('file.txt', { status: 'ok' }), ...twoChanges('no.txt', REJECTED), say('.')];
    scene = await Scene.begin({ 'file.txt': TEXT, 'no.txt': TEXT }, turns);
    const { document } = await scene.open('file.txt');
    await scene.prompt('change both');
    await scene.hunks('file.txt', 2);
    await run('mew.acceptFile');
    await textBecomes(document, BOTH);
    await scene.hunks('no.txt', 2);
    // From elsewhere, by its name.
    await run('mew.rejectFile', scene.uri('no.txt'));
    await scene.ended();
    assert.equal(scene.disk('no.txt'), TEXT);
  });

  test('accept all, in open and closed files', async () => {
    const change = (file: string, old: string, replacement: string) => [
      `*** Update File: ${file}`,
      '@@',
      `-${old}`,
      `+${replacement}`,
    ];
    const turns = [
      read('open.txt'),
      read('closed.txt'),
      call('apply_patch', patch(...change('open.txt', 'two', 'TWO'), ...change('closed.txt', 'six', 'SIX'))),
      say('.'),
    ];
    scene = await Scene.begin({ 'open.txt': TEXT, 'closed.txt': TEXT }, turns);
    const { document } = await scene.open('open.txt');
    await scene.prompt('change both');
    await scene.hunks('open.txt', 1);
    await scene.hunks('closed.txt', 1);
    await run('mew.acceptAll');
    await scene.ended();
    assert.equal(document.getText(), TEXT.replace('two', 'TWO'));
    assert.equal(scene.disk('closed.txt'), TEXT.replace('six', 'SIX'));
  });

  test('what landed is kept with what the user typed in it, or reverted', async () => {
    const turns = [...twoChanges('kept.txt', { status: 'ok' }), say('.')];
    scene = await Scene.begin({ 'kept.txt': TEXT }, turns, 'accept_edits');
    const editor = await scene.open('kept.txt');
    const { document } = editor;
    await scene.prompt('change it');
    await scene.hunks('kept.txt', 2);
    await type(editor, 1, 'my ');
    await until('the change', () => scene.parts.hunks.of(document.uri)?.version === document.version);
    cursor(editor, 1);
    await run('mew.acceptHunk');
    await scene.hunks('kept.txt', 1);
    cursor(editor, 7);
    await run('mew.rejectHunk');
    await textBecomes(document, 'one\nmy TWO\nand a half\nthree\nfour\nfive\nsix\nseven\neight\n');
    await until('no hunk', () => scene.parts.hunks.all().length === 0);
  });

  test('what was left for the user’s choice is told, as the server counts it', async () => {
    scene = await Scene.begin({ 'left.txt': TEXT }, [...twoChanges('left.txt', REJECTED), say('.')]);
    await scene.open('left.txt');
    await scene.prompt('change it');
    await scene.hunks('left.txt', 2);
    const { server } = scene.parts;
    const { window } = vscode;
    const setStatusBarMessage = window.setStatusBarMessage;
    const told: string[] = [];
    Object.assign(window, { setStatusBarMessage: (words: string) => told.push(words) });
    server.execute = <Result>() => Promise.resolve({ hunks: 1, conflicts: 1 } as Result);
    try {
      await run('mew.acceptFile');
      assert.deepEqual(told, ['MewCode: accepted 1 hunk; 1 conflict waits for your choice']);
    } finally {
      Reflect.deleteProperty(server, 'execute');
      Object.assign(window, { setStatusBarMessage });
    }
  });

  test('a word to the agent goes with the rejection of all hunks of a file', async () => {
    const expect = { status: 'denied', contains: 'speak up' };
    scene = await Scene.begin({ 'all.txt': TEXT }, [...twoChanges('all.txt', expect), say('.')]);
    const editor = await scene.open('all.txt');
    await scene.prompt('change it');
    await scene.hunks('all.txt', 2);
    answer('showInputBox', () => undefined);
    await run('mew.rejectFileWithReason');
    assert.equal(scene.parts.hunks.of(editor.document.uri)?.hunks.length, 2);
    let title: unknown;
    answer('showInputBox', ([options]) => {
      ({ title } = options as vscode.InputBoxOptions);
      return 'speak up';
    });
    await run('mew.rejectFileWithReason');
    assert.equal(title, 'Reject all.txt (2 hunks)');
    await scene.ended();
    // Without hunks nothing is asked.
    await run('mew.rejectFileWithReason');
  });

  test('a word to the agent goes with the rejection', async () => {
    const expect = { status: 'denied', contains: 'speak up' };
    scene = await Scene.begin({ 'word.txt': TEXT }, [
      ...oneChange('word.txt', 'two', 'TWO\n', expect),
      say('.'),
    ]);
    const editor = await scene.open('word.txt');
    await scene.prompt('change it');
    await scene.hunks('word.txt', 1);
    cursor(editor, 1);
    answer('showInputBox', () => 'speak up');
    await run('mew.rejectWithReason');
    await scene.ended();
  });

  test('Escape in place of a word decides nothing', async () => {
    scene = await Scene.begin({ 'esc.txt': TEXT }, [
      ...oneChange('esc.txt', 'two', 'TWO\n', REJECTED),
      say('.'),
    ]);
    const editor = await scene.open('esc.txt');
    await scene.prompt('change it');
    await scene.hunks('esc.txt', 1);
    cursor(editor, 1);
    answer('showInputBox', () => undefined);
    await run('mew.rejectWithReason');
    assert.equal(scene.parts.hunks.of(editor.document.uri)?.hunks.length, 1);
  });

  const choices: [label: string, index: number, status: string, text: string][] = [
    ['mine', 0, 'denied', TEXT.replace('two', 'my two')],
    ['the agent’s', 1, 'ok', TEXT.replace('two', 'TWO')],
    ['both', 2, 'ok', TEXT.replace('two', 'my two\nTWO')],
  ];
  for (const [label, index, status, text] of choices) {
    test(`accepting a conflict asks, and takes ${label}`, async () => {
      const name = `conflict-${index}.txt`;
      scene = await Scene.begin({ [name]: TEXT }, [...oneChange(name, 'two', 'TWO\n', { status }), say('.')]);
      const editor = await scene.open(name);
      await scene.prompt('change it');
      await scene.hunks(name, 1);
      await type(editor, 1, 'my ');
      await until('the conflict', () => blocks(scene, editor.document.uri)[0]?.label.includes('You changed'));
      cursor(editor, 1);
      let offered: unknown[] = [];
      answer('showQuickPick', ([items]) => {
        offered = items as unknown[];
        return offered[index];
      });
      await run('mew.acceptHunk');
      assert.equal(offered.length, 3);
      await scene.ended();
      await textBecomes(editor.document, text);
    });
  }

  test('a removal and a new file, accepted while closed', async () => {
    const turns = [
      read('old.txt'),
      call('apply_patch', patch('*** Delete File: old.txt', '*** Add File: new.txt', '+fresh')),
      say('.'),
    ];
    scene = await Scene.begin({ 'old.txt': 'a\nb\n' }, turns);
    await scene.prompt('replace it');
    const [removal] = await scene.hunks('old.txt', 1);
    const [addition] = await scene.hunks('new.txt', 1);
    assert.ok(removal && addition);
    await run('mew.acceptHunk', { hunk: removal.id });
    await run('mew.acceptHunk', { hunk: addition.id });
    await scene.ended();
    assert.equal(scene.disk('new.txt'), 'fresh\n');
    assert.throws(() => scene.disk('old.txt'), /ENOENT/);
  });
});
