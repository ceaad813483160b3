// What is drawn of hunks in the editor, and that it follows the text.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { call, edit, read, say } from '../harness/turns.ts';
import {
  blocks,
  cursor,
  drawn,
  endReview,
  oneChange,
  patch,
  REJECTED,
  TEXT,
  twoChanges,
  type,
} from './review.ts';
import { Scene, until } from './scene.ts';

suite('review: drawing', () => {
  let scene: Scene;
  teardown(async () => {
    await endReview(scene);
  });

  test('a proposal marks the old lines and shows the new ones, which are not in the document', async () => {
    scene = await Scene.begin({ 'draw.txt': TEXT }, [...twoChanges('draw.txt', REJECTED), say('.')]);
    const editor = await scene.open('draw.txt');
    await scene.prompt('change it');
    await scene.hunks('draw.txt', 2);
    assert.deepEqual(drawn(scene, editor), [
      ['removed', 'change', 1, 2],
      ['removed', 'change', 6, 7],
    ]);
    const uri = editor.document.uri;
    assert.deepEqual(blocks(scene, uri), [
      {
        label: 'MewCode would write instead:',
        text: '\n```plaintext\nTWO\nand a half\n```\n',
        line: 1,
      },
      { label: 'MewCode would write instead:', text: '\n```plaintext\nSEVEN\n```\n', line: 6 },
    ]);
    assert.equal(editor.document.getText(), TEXT);
    assert.equal(editor.document.isDirty, false);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      uri,
    );
    assert.deepEqual(
      lenses.map((lens) => lens.command?.title),
      ['✓ Accept', '✗ Reject', 'Diff', '✓ Accept', '✗ Reject', 'Diff'],
    );
    await vscode.commands.executeCommand('mew.rejectAll');
    await until('nothing drawn', () => drawn(scene, editor).length === 0);
    assert.deepEqual(blocks(scene, uri), []);
  });

  test('typing above moves what is drawn at once, and the threads stay the same', async () => {
    scene = await Scene.begin({ 'above.txt': TEXT }, [...twoChanges('above.txt', REJECTED), say('.')]);
    const editor = await scene.open('above.txt');
    await scene.prompt('change it');
    await scene.hunks('above.txt', 2);
    const { places, blocks: shown } = scene.parts.review;
    const uri = editor.document.uri;
    const before = [...shown.of(uri).values()];
    await type(editor, 0, 'mine\nmine too\n');
    // Before the server could say so.
    assert.deepEqual(
      places.of(uri).map(({ first, last }) => [first, last]),
      [
        [3, 4],
        [8, 9],
      ],
    );
    await until('the new lines', () => scene.parts.hunks.of(uri)?.hunks[0]?.startLine === 3);
    assert.deepEqual(
      drawn(scene, editor).map(([, , first, last]) => [first, last]),
      [
        [3, 4],
        [8, 9],
      ],
    );
    assert.deepEqual([...shown.of(uri).values()], before);
    assert.deepEqual(
      blocks(scene, uri).map(({ line }) => line),
      [3, 8],
    );
  });

  test('typing inside a proposal makes it a conflict, which looks different', async () => {
    scene = await Scene.begin({ 'inside.txt': TEXT }, [...twoChanges('inside.txt', REJECTED), say('.')]);
    const editor = await scene.open('inside.txt');
    await scene.prompt('change it');
    await scene.hunks('inside.txt', 2);
    await type(editor, 1, 'my ');
    await until('the conflict', () => drawn(scene, editor)[0]?.[0] === 'conflict');
    assert.deepEqual(drawn(scene, editor), [
      ['conflict', 'conflict', 1, 2],
      ['removed', 'change', 6, 7],
    ]);
    assert.equal(blocks(scene, editor.document.uri)[0]?.label, 'You changed this too. MewCode would write:');
    assert.equal(editor.document.lineAt(1).text, 'my two');
  });

  test('what landed is marked, with the old lines below; typing in it keeps it so', async () => {
    const turns = [...twoChanges('after.txt', { status: 'ok' }), say('.')];
    scene = await Scene.begin({ 'after.txt': TEXT }, turns, 'accept_edits');
    const editor = await scene.open('after.txt');
    await scene.prompt('change it');
    await scene.hunks('after.txt', 2);
    await until('both drawn', () => drawn(scene, editor).length === 2);
    assert.deepEqual(drawn(scene, editor), [
      ['added', 'change', 1, 3],
      ['added', 'change', 7, 8],
    ]);
    assert.deepEqual(blocks(scene, editor.document.uri)[0], {
      label: 'MewCode put this in place of:',
      text: '\n```plaintext\ntwo\n```\n',
      line: 2,
    });
    await type(editor, 2, 'mine\n');
    await until('the longer hunk', () => drawn(scene, editor)[0]?.[3] === 4);
    assert.deepEqual(drawn(scene, editor), [
      ['added', 'change', 1, 4],
      ['added', 'change', 8, 9],
    ]);
  });

  test('lines added at the end of a document', async () => {
    const turns = [...oneChange('end.txt', 'eight', 'eight\nnine\n', REJECTED), say('.')];
    scene = await Scene.begin({ 'end.txt': TEXT }, turns);
    const editor = await scene.open('end.txt');
    await scene.prompt('go on');
    await scene.hunks('end.txt', 1);
    const [found] = blocks(scene, editor.document.uri);
    assert.equal(found?.label, 'MewCode would add here:');
    assert.match(found.text, /\nnine\n/);
    assert.deepEqual(drawn(scene, editor), [[undefined, 'add', 7, 8]]);
  });

  test('the removal of an open file marks all of it', async () => {
    const turns = [
      read('gone.txt'),
      call('apply_patch', patch('*** Delete File: gone.txt'), REJECTED),
      say('.'),
    ];
    scene = await Scene.begin({ 'gone.txt': 'a\nb\n' }, turns);
    const editor = await scene.open('gone.txt');
    await scene.prompt('tidy up');
    await scene.hunks('gone.txt', 1);
    assert.equal(drawn(scene, editor)[0]?.[0], 'removed');
    assert.equal(blocks(scene, editor.document.uri)[0]?.label, 'Remove this file (−2)?');
  });

  test('a file that is opened later is drawn too', async () => {
    scene = await Scene.begin({ 'later.txt': TEXT }, [...twoChanges('later.txt', REJECTED), say('.')]);
    await scene.prompt('change it');
    await scene.hunks('later.txt', 2);
    assert.deepEqual(blocks(scene, scene.uri('later.txt')), []);
    const editor = await scene.open('later.txt');
    await until('two hunks', () => drawn(scene, editor).length === 2);
    assert.equal(blocks(scene, scene.uri('later.txt')).length, 2);
  });

  test('text of the model cannot become a link to a command', async () => {
    const evil = '```\n[run](command:mew.restart) <b>x</b>\n';
    const turns = [read('evil.md'), edit('evil.md', 'one\n', evil, REJECTED), say('.')];
    scene = await Scene.begin({ 'evil.md': TEXT }, turns);
    await scene.open('evil.md');
    await scene.prompt('change it');
    await scene.hunks('evil.md', 1);
    const [thread] = [...scene.parts.review.blocks.of(scene.uri('evil.md')).values()];
    const body = thread?.comments[0]?.body;
    assert.ok(body instanceof vscode.MarkdownString);
    assert.ok(!body.isTrusted && !body.supportHtml);
    assert.match(body.value, /^\n````/, 'a fence that the text cannot end');
  });

  test('the contexts say whether hunks wait and whether the cursor is on one', async () => {
    scene = await Scene.begin({ 'context.txt': TEXT }, [...twoChanges('context.txt', REJECTED), say('.')]);
    const editor = await scene.open('context.txt');
    cursor(editor, 0);
    await scene.prompt('change it');
    await scene.hunks('context.txt', 2);
    const contexts = scene.parts.review.targets.contexts;
    assert.equal(contexts.get('mewcode.hunks'), true);
    assert.equal(contexts.get('mewcode.onHunk') ?? false, false);
    cursor(editor, 6);
    await until('on a hunk', () => contexts.get('mewcode.onHunk'));
    cursor(editor, 4);
    await until('between hunks', () => contexts.get('mewcode.onHunk') === false);
    await vscode.commands.executeCommand('mew.rejectAll');
    await until('no hunks', () => contexts.get('mewcode.hunks') === false);
  });
});
