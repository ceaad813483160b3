// What a user may do to a file while a hunk in it waits for them: the hunk goes along or says why it cannot, and what was typed stays.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { edit as editTurn, read, say } from '../harness/turns.ts';
import { Rooms, type, withSetting } from './hand.ts';
import { until } from './scene.ts';

const TEXT = 'one\ntwo\nthree\n';
const CHANGED = 'one\nTWO\nthree\n';

suite('apply: waiting', () => {
  const rooms = new Rooms('waiting');

  teardown(async () => {
    await vscode.commands.executeCommand('mew.rejectAll');
    await rooms.end();
  });

  /** A file with a hunk in it that waits, and its document. */
  async function waiting(
    expect?: object,
    open?: () => Promise<vscode.TextEditor>,
  ): Promise<vscode.TextEditor> {
    await rooms.begin(
      { 'a.txt': TEXT },
      (own) => [read(own('a.txt')), editTurn(own('a.txt'), 'two', 'TWO', expect), say('Done.')],
      'default',
    );
    const editor = await (open ?? (() => rooms.open('a.txt')))();
    await rooms.scene.prompt('edit');
    await waits(editor.document.uri);
    return editor;
  }

  async function waits(uri: vscode.Uri): Promise<void> {
    await until('the hunk', () => rooms.scene.parts.hunks.of(uri)?.hunks.length === 1);
  }

  async function accept(): Promise<void> {
    await vscode.commands.executeCommand('mew.acceptAll');
    await rooms.scene.ended();
  }

  test('a file that is renamed takes its hunk and what was typed along', async () => {
    await waiting();
    await type('mine ');
    const rename = new vscode.WorkspaceEdit();
    rename.renameFile(rooms.uri('a.txt'), rooms.uri('b.txt'));
    // VS Code may decline while it is busy with the file.
    await until('the move', async () => (await vscode.workspace.applyEdit(rename)) || rooms.exists('b.txt'));
    await waits(rooms.uri('b.txt'));
    await accept();
    const document = await vscode.workspace.openTextDocument(rooms.uri('b.txt'));
    assert.equal(document.getText(), `mine ${CHANGED}`);
    assert.equal(document.isDirty, true);
    assert.equal(rooms.disk('b.txt'), TEXT);
    assert.equal(rooms.exists('a.txt'), false);
  });

  test('a file that is deleted stays deleted, and the model is told', async () => {
    await waiting({ status: 'failed', error_kind: 'stale_file', contains: 'was removed since' });
    const remove = new vscode.WorkspaceEdit();
    remove.deleteFile(rooms.uri('a.txt'));
    assert.equal(await vscode.workspace.applyEdit(remove), true);
    await accept();
    assert.equal(rooms.exists('a.txt'), false);
  });

  test('a document that gets another language keeps its hunk', async () => {
    const { document } = await waiting();
    await vscode.languages.setTextDocumentLanguage(document, 'markdown');
    await waits(document.uri);
    await type('mine ');
    await accept();
    assert.equal(document.getText(), `mine ${CHANGED}`);
    assert.equal(rooms.disk('a.txt'), TEXT);
  });

  test('a document that gets CRLF has it afterwards', async () => {
    const editor = await waiting();
    await editor.edit((edit) => {
      edit.setEndOfLine(vscode.EndOfLine.CRLF);
    });
    await accept();
    assert.equal(editor.document.getText(), CHANGED.replaceAll('\n', '\r\n'));
  });

  test('a document in two editors', async () => {
    const { document } = await waiting();
    await vscode.commands.executeCommand('workbench.action.splitEditor');
    await type('mine ');
    await accept();
    const shown = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
    assert.equal(shown.length, 2);
    assert.equal(document.getText(), `mine ${CHANGED}`);
    assert.equal(rooms.disk('a.txt'), TEXT);
  });

  test('a file that becomes read-only is not changed, and the model is told', async () => {
    const { document } = await waiting({ status: 'failed', contains: 'its file is read-only' });
    fs.chmodSync(document.uri.fsPath, 0o444);
    await accept();
    assert.equal(document.getText(), TEXT);
    assert.equal(document.isDirty, false);
    fs.chmodSync(document.uri.fsPath, 0o644);
  });

  test('a document that is open by way of a link', async () => {
    const { document } = await waiting(undefined, async () => {
      const link = rooms.uri('../linked');
      fs.rmSync(link.fsPath, { force: true });
      fs.symlinkSync(path.dirname(rooms.uri('a.txt').fsPath), link.fsPath);
      const linked = vscode.Uri.joinPath(link, 'a.txt');
      return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(linked));
    });
    await accept();
    assert.equal(document.getText(), CHANGED);
    assert.equal(document.isDirty, false);
    assert.equal(rooms.disk('a.txt'), CHANGED);
  });

  test('a document whose editor is closed', async () => {
    await waiting();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await accept();
    await until('it on disk', () => rooms.disk('a.txt') === CHANGED);
  });

  const words = 'Привет';
  const encodings: [string, Buffer, Buffer][] = [
    ['utf16le', Buffer.from(`\ufeff${words}\n`, 'utf16le'), Buffer.from(TEXT, 'utf16le')],
    ['koi8r', Buffer.from([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4, 0x0a]), Buffer.from(TEXT)],
  ];
  for (const [encoding, first, rest] of encodings) {
    test(`a clean document in ${encoding} is saved in it`, async () => {
      await rooms.begin({ 'a.txt': '' }, (own) => [
        read(own('a.txt')),
        editTurn(own('a.txt'), 'two', 'TWO'),
        say('Done.'),
      ]);
      const file = rooms.uri('a.txt').fsPath;
      fs.writeFileSync(file, Buffer.concat([first, rest]));
      await withSetting('files.encoding', encoding, async () => {
        const { document } = await rooms.open('a.txt');
        assert.equal(document.getText(), `${words}\n${TEXT}`);
        await rooms.scene.prompt('edit');
        await rooms.scene.ended();
        assert.equal(document.isDirty, false);
      });
      const changed = encoding === 'utf16le' ? Buffer.from(CHANGED, 'utf16le') : Buffer.from(CHANGED);
      assert.deepEqual(fs.readFileSync(file), Buffer.concat([first, changed]));
    });
  }
});
