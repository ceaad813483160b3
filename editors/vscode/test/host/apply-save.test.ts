// mewcode/save in the real VS Code, and what saves by itself there: formatters, auto-save, files that change on disk.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import type { SaveResult } from '../../src/protocol.ts';
import { hash } from '../../src/text/logical.ts';
import { call, edit as editTurn, read, say } from '../harness/turns.ts';
import { edit, replace, Rooms, serverHolds, type, withSetting } from './hand.ts';
import { until } from './scene.ts';

suite('apply: save', () => {
  const rooms = new Rooms('save');
  const disposables: vscode.Disposable[] = [];

  teardown(async () => {
    for (const one of disposables.splice(0)) {
      one.dispose();
    }
    await rooms.end();
  });

  function save(document: vscode.TextDocument, sha256 = hash(document)): Promise<SaveResult> {
    return rooms.scene.parts.saves.save({ uri: rooms.scene.parts.server.fromUri(document.uri), sha256 });
  }

  /** A formatter that makes capitals of `x`, after a while. */
  function capitals(language: string, milliseconds = 0): void {
    const formatter = vscode.languages.registerDocumentFormattingEditProvider(language, {
      provideDocumentFormattingEdits: async (document) => {
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        const text = document.getText();
        return [...text.matchAll(/x/g)].map(({ index }) =>
          vscode.TextEdit.replace(
            new vscode.Range(document.positionAt(index), document.positionAt(index + 1)),
            'X',
          ),
        );
      },
    });
    disposables.push(formatter);
  }

  test('a document is saved with its formatter, and the server has what that made of it', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one' });
    capitals('plaintext');
    const { document } = await rooms.open('a.txt');
    await withSetting('editor.formatOnSave', true, async () => {
      await edit(parts, document, replace(0, 3, 0, 3, ' x  '));
      await withSetting('files.trimTrailingWhitespace', true, async () => {
        await withSetting('files.insertFinalNewline', true, async () => {
          assert.deepEqual(await save(document), { saved: true, sha256: hash(document) });
        });
      });
    });
    assert.equal(document.getText(), 'one X\n');
    assert.equal(rooms.disk('a.txt'), 'one X\n');
    assert.equal(await serverHolds(parts, document, 'one X\n'), true);
  });

  test('a run’s edit of a clean document is formatted and saved, and the model is told of the formatter', async () => {
    await rooms.begin({ 'a.txt': 'one\ntwo\n' }, (own) => [
      read(own('a.txt')),
      editTurn(own('a.txt'), 'two', 'x two', { status: 'ok', contains: 'formatted on save by the editor' }),
      say('Done.'),
    ]);
    capitals('plaintext');
    const { document } = await rooms.open('a.txt');
    await withSetting('editor.formatOnSave', true, async () => {
      await rooms.scene.prompt('edit');
      await rooms.scene.ended();
    });
    assert.equal(rooms.disk('a.txt'), 'one\nX two\n');
    assert.equal(document.isDirty, false);
    await vscode.commands.executeCommand('undo');
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), 'one\ntwo\n');
  });

  test('a dirty document is edited and left unsaved', async () => {
    await rooms.begin({ 'a.txt': 'one\ntwo\n' }, (own) => [
      read(own('a.txt')),
      editTurn(own('a.txt'), 'two', 'TWO', { status: 'ok', contains: 'left unsaved' }),
      say('Done.'),
    ]);
    const { document } = await rooms.open('a.txt');
    await type('mine ');
    await rooms.scene.prompt('edit');
    await rooms.scene.ended();
    assert.equal(document.getText(), 'mine one\nTWO\n');
    assert.equal(document.isDirty, true);
    assert.equal(rooms.disk('a.txt'), 'one\ntwo\n');
  });

  for (const mode of ['afterDelay', 'onFocusChange', 'onWindowChange']) {
    test(`auto-save ${mode} goes with it`, async () => {
      await rooms.begin({ 'a.txt': 'one\ntwo\n', 'b.txt': '' }, (own) => [
        read(own('a.txt')),
        editTurn(own('a.txt'), 'two', 'TWO'),
        editTurn(own('a.txt'), 'one', 'ONE'),
        say('Done.'),
      ]);
      const { document } = await rooms.open('a.txt');
      await withSetting('files.autoSave', mode, async () => {
        await rooms.scene.prompt('edit');
        await rooms.scene.ended();
        assert.equal(rooms.disk('a.txt'), 'ONE\nTWO\n');
        assert.equal(document.isDirty, false);
      });
    });
  }

  test('only the very text is saved, and only what has a file', async () => {
    await rooms.begin({ 'a.txt': 'one\n' });
    const { document } = await rooms.open('a.txt');
    const before = hash(document);
    await type('x');
    assert.deepEqual(await save(document, before), { saved: false, reason: 'it has changed since' });
    assert.equal(rooms.disk('a.txt'), 'one\n');
    const untitled = await vscode.workspace.openTextDocument({ content: 'new' });
    assert.match((await save(untitled)).reason ?? '', /^it has no file yet/);
    const closed = await rooms.scene.parts.saves.save({
      uri: rooms.scene.parts.server.fromUri(rooms.scene.uri('never.txt')),
      sha256: before,
    });
    assert.deepEqual(closed, { saved: false, reason: 'it is not open in VS Code' });
  });

  test('a file that changed on disk is not overwritten', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\n' });
    const { document } = await rooms.open('a.txt');
    await type('mine ');
    fs.writeFileSync(document.uri.fsPath, 'from elsewhere, and longer\n');
    await edit(parts, document, replace(0, 8, 0, 8, '!'));
    const result = await save(document);
    assert.equal(result.saved, false);
    assert.match(result.reason ?? '', /VS Code did not save it/);
    assert.equal(rooms.disk('a.txt'), 'from elsewhere, and longer\n');
    assert.equal(document.getText(), 'mine one!\n');
  });

  test('what is typed while it is saved is not said to be saved', async () => {
    await rooms.begin({ 'a.txt': 'one\n' });
    capitals('plaintext', 200);
    const editor = await rooms.open('a.txt');
    const { document } = editor;
    await edit(rooms.scene.parts, document, replace(0, 3, 0, 3, ' x'));
    await withSetting('editor.formatOnSave', true, async () => {
      const saving = save(document);
      await type('typed ');
      const result = await saving;
      // Whatever VS Code made of it: nothing is lost, and the answer speaks of what the disk has.
      assert.match(document.getText(), /^typed one [xX]\n$/);
      if (result.saved) {
        assert.equal(result.sha256, hash({ version: 1, getText: () => rooms.disk('a.txt') }));
      }
      assert.equal(document.isDirty, document.getText() !== rooms.disk('a.txt'));
      assert.equal(await serverHolds(rooms.scene.parts, document, document.getText()), true);
    });
  });

  test('a command changes an open file: the document has it, clean, without a question, and undo leads back', async () => {
    await rooms.begin({ 'a.txt': 'one\ntwo\n' }, (own) => [
      read(own('a.txt')),
      call('bash', { command: `sed -i s/two/TWO/ ${own('a.txt')}` }),
      read(own('a.txt')),
      editTurn(own('a.txt'), 'TWO', 'three'),
      say('Done.'),
    ]);
    const editor = await rooms.open('a.txt');
    const { document } = editor;
    await edit(rooms.scene.parts, document, replace(0, 0, 0, 3, 'ONE'));
    assert.equal((await save(document)).saved, true);
    await rooms.scene.prompt('edit');
    await rooms.scene.ended();
    assert.equal(document.getText(), 'ONE\nthree\n');
    assert.equal(document.isDirty, false);
    assert.equal(rooms.disk('a.txt'), 'ONE\nthree\n');
    for (const text of ['ONE\nTWO\n', 'ONE\ntwo\n', 'one\ntwo\n']) {
      await vscode.commands.executeCommand('undo');
      assert.equal(document.getText(), text);
    }
  });

  test('a command changes the file of a dirty document: the document stays, and the model is told', async () => {
    await rooms.begin({ 'a.txt': 'one\ntwo\n' }, (own) => [
      call(
        'bash',
        { command: `sed -i s/two/TWO/ ${own('a.txt')}` },
        {
          status: 'ok',
          contains: 'has unsaved changes in the editor',
        },
      ),
      say('Done.'),
    ]);
    const { document } = await rooms.open('a.txt');
    await type('mine ');
    await rooms.scene.prompt('edit');
    await rooms.scene.ended();
    assert.equal(document.getText(), 'mine one\ntwo\n');
    assert.equal(document.isDirty, true);
    assert.equal(rooms.disk('a.txt'), 'one\nTWO\n');
    await until('the server to hold it', () => serverHolds(rooms.scene.parts, document, 'mine one\ntwo\n'));
  });
});
