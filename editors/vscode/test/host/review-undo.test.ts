// Undo and redo around decisions: what was accepted or has landed is taken back as a whole, and leaves nothing behind.

import * as assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { call, read, say } from '../harness/turns.ts';
import { serverHolds } from './hand.ts';
import {
  blocks,
  BOTH,
  cursor,
  drawn,
  endReview,
  patch,
  run,
  TEXT,
  textBecomes,
  twoChanges,
  type,
} from './review.ts';
import { Scene, until } from './scene.ts';

const OK = { status: 'ok' };

suite('review: undo', () => {
  let scene: Scene;
  teardown(async () => {
    await endReview(scene);
  });

  /** A document in which two changes have landed and are not decided yet. */
  async function landed(file: string): Promise<vscode.TextEditor> {
    scene = await Scene.begin({ [file]: TEXT }, [...twoChanges(file, OK), say('.')], 'accept_edits');
    const editor = await scene.open(file);
    await scene.prompt('change it');
    await scene.hunks(file, 2);
    await scene.ended();
    return editor;
  }

  /** No hunk, no mark and no block is left of it, and the server has the text that the document has. */
  async function isClean(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    await until('no hunk', () => scene.parts.hunks.all().length === 0);
    assert.deepEqual(drawn(scene, editor), []);
    assert.deepEqual(blocks(scene, document.uri), []);
    assert.equal(await serverHolds(scene.parts, document, document.getText()), true);
  }

  test('an accepted hunk is taken back by one step, the others wait on; redo brings it again', async () => {
    scene = await Scene.begin({ 'undo.txt': TEXT }, [...twoChanges('undo.txt', OK), say('.')]);
    const editor = await scene.open('undo.txt');
    const { document } = editor;
    await scene.prompt('change it');
    await scene.hunks('undo.txt', 2);
    cursor(editor, 1);
    await run('mew.acceptHunk');
    const accepted = TEXT.replace('two', 'TWO\nand a half');
    await textBecomes(document, accepted);
    await scene.hunks('undo.txt', 1);
    await run('undo');
    await textBecomes(document, TEXT);
    const [other] = await scene.hunks('undo.txt', 1);
    assert.deepEqual(other?.newLines, ['SEVEN']);
    await run('redo');
    await textBecomes(document, accepted);
    await run('undo');
    await textBecomes(document, TEXT);
    await run('mew.acceptHunk', { hunk: other.id });
    await textBecomes(document, TEXT.replace('seven', 'SEVEN'));
    await scene.ended();
    await isClean(editor);
  });

  test('what has landed and is not decided yet ends with the step that takes it back', async () => {
    const editor = await landed('landed-undo.txt');
    const { document } = editor;
    await run('undo');
    await textBecomes(document, TEXT);
    await isClean(editor);
    // Redone it is the user's own doing: nothing asks about it again.
    await run('redo');
    await textBecomes(document, BOTH);
    await isClean(editor);
  });

  test('what the user typed behind it is taken back first', async () => {
    const editor = await landed('typed-undo.txt');
    const { document } = editor;
    await type(editor, 1, 'my ');
    await run('undo');
    await textBecomes(document, BOTH);
    await scene.hunks('typed-undo.txt', 2);
    await run('undo');
    await textBecomes(document, TEXT);
    await isClean(editor);
  });

  test('a change of several files is one step in all of them', async () => {
    const update = (file: string, old: string, replacement: string): string[] => [
      `*** Update File: ${file}`,
      '@@',
      `-${old}`,
      `+${replacement}`,
    ];
    scene = await Scene.begin(
      { 'first.txt': TEXT, 'second.txt': TEXT },
      [
        read('first.txt'),
        read('second.txt'),
        call(
          'apply_patch',
          patch(...update('first.txt', 'two', 'TWO'), ...update('second.txt', 'six', 'SIX')),
        ),
        say('.'),
      ],
      'accept_edits',
    );
    const { document: second } = await scene.open('second.txt');
    const editor = await scene.open('first.txt');
    const { document: first } = editor;
    await scene.prompt('change both');
    await scene.hunks('first.txt', 1);
    await scene.hunks('second.txt', 1);
    await scene.ended();
    await run('undo');
    await textBecomes(first, TEXT);
    await textBecomes(second, TEXT);
    await isClean(editor);
    assert.equal(await serverHolds(scene.parts, second, TEXT), true);
    assert.deepEqual([first.isDirty, second.isDirty], [true, true], 'saving is the user’s');
    await run('redo');
    await textBecomes(first, TEXT.replace('two', 'TWO'));
    await textBecomes(second, TEXT.replace('six', 'SIX'));
    await isClean(editor);
  });
});
