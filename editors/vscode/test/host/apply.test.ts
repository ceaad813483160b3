// mewcode/applyEdit in the real VS Code: all or none, one undo step, every refusal, and nothing of what the user types is lost.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import { sha256 } from '../../src/text/logical.ts';
import { edit, isRefused, part, replace, Rooms, serverHolds, type, withSetting } from './hand.ts';
import { until } from './scene.ts';

suite('apply', () => {
  const rooms = new Rooms('apply');

  teardown(() => rooms.end());

  async function undo(): Promise<void> {
    await vscode.commands.executeCommand('undo');
  }

  test('an edit is in the document and with the server before the answer', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\ntwo\nthree\n' });
    const { document } = await rooms.open('a.txt');
    const result = await edit(parts, document, replace(0, 0, 0, 3, 'ONE'), replace(2, 5, 2, 5, '\nfour'));
    assert.equal(document.getText(), 'ONE\ntwo\nthree\nfour\n');
    assert.equal(result.applied, true);
    assert.deepEqual(result.documents, [
      { uri: parts.server.fromUri(document.uri), sha256: part(parts, document, []).sha256 },
    ]);
    assert.equal(document.isDirty, true);
    assert.equal(await serverHolds(parts, document, 'ONE\ntwo\nthree\nfour\n'), true);
  });

  test('it is one undo step of its own between typing', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\ntwo\n' });
    const editor = await rooms.open('a.txt');
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await type('a');
    await type('b');
    await edit(parts, editor.document, replace(0, 5, 0, 5, '!'), replace(1, 0, 1, 3, 'TWO'));
    await type('c');
    await type('d');
    assert.equal(editor.document.getText(), 'abcdone!\nTWO\n');
    await undo();
    assert.equal(editor.document.getText(), 'abone!\nTWO\n');
    await undo();
    assert.equal(editor.document.getText(), 'abone\ntwo\n');
    await undo();
    assert.equal(editor.document.getText(), 'one\ntwo\n');
    await vscode.commands.executeCommand('redo');
    await vscode.commands.executeCommand('redo');
    assert.equal(editor.document.getText(), 'abone!\nTWO\n');
  });

  test('cursors, selections and scroll stay', async () => {
    const lines = Array.from({ length: 400 }, (_, line) => `line ${line}`);
    const parts = await rooms.begin({ 'a.txt': lines.join('\n') });
    const editor = await rooms.open('a.txt');
    const top = (): number => editor.visibleRanges[0]?.start.line ?? -1;
    editor.selection = new vscode.Selection(250, 2, 250, 4);
    editor.revealRange(new vscode.Range(250, 0, 250, 0), vscode.TextEditorRevealType.AtTop);
    const before = await until('the lines around the cursor', () => top() > 200 && top());
    await edit(parts, editor.document, replace(0, 0, 0, 0, 'new\nnew\n'), replace(300, 0, 300, 0, 'x'));
    assert.deepEqual(editor.selection, new vscode.Selection(252, 2, 252, 4));
    await until('the same lines', () => top() === before + 2);
    // The cursor is out of sight now.
    editor.revealRange(new vscode.Range(100, 0, 100, 0), vscode.TextEditorRevealType.AtTop);
    const elsewhere = await until('other lines', () => top() < 101 && top() > 50 && top());
    await edit(parts, editor.document, replace(0, 0, 1, 0, ''));
    await until('the same lines', () => top() === elsewhere - 1);
    assert.deepEqual(editor.selection, new vscode.Selection(251, 2, 251, 4));
  });

  test('a cursor at the end of a line stays there when lines are added behind it', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\ntwo\n', 'b.txt': 'one\r\ntwo' });
    for (const file of ['a.txt', 'b.txt']) {
      const editor = await rooms.open(file);
      editor.selection = new vscode.Selection(0, 3, 0, 3);
      await edit(parts, editor.document, replace(0, 3, 0, 3, '\nnew'), replace(1, 0, 1, 3, 'TWO'));
      await type('!');
      assert.deepEqual(editor.document.getText().split(/\r?\n/).slice(0, 3), ['one!', 'new', 'TWO'], file);
    }
  });

  test('every other text is stale, and the server is told which it is', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const { document: other } = await rooms.open('b.txt');
    const editor = await rooms.open('a.txt');
    const late = part(parts, editor.document, [replace(0, 0, 0, 3, 'ONE')]);
    const fine = part(parts, other, [replace(0, 0, 0, 3, 'TWO')]);
    await type('x');
    const result = await parts.edits.apply({ label: 'test', documents: [fine, late] });
    isRefused(result, 'stale', /a\.txt has changed since the edit was made$/);
    assert.equal(editor.document.getText(), 'xone\n');
    assert.equal(other.getText(), 'two\n', 'all or none');
    assert.equal(await serverHolds(parts, editor.document, 'xone\n'), true);
    // A text of which the server has another idea is not edited by it, whatever version it names.
    const text = { ...part(parts, other, [replace(0, 0, 0, 3, 'TWO')]), sha256: sha256('three\n') };
    isRefused(await parts.edits.apply({ label: 'test', documents: [text] }), 'stale', /b\.txt/);
    assert.equal(other.getText(), 'two\n');
    // The same text with another version is another one too: whoever made the edit has not seen what was between.
    const version = { ...part(parts, other, [replace(0, 0, 0, 3, 'TWO')]), version: other.version - 1 };
    isRefused(await parts.edits.apply({ label: 'test', documents: [version] }), 'stale', /b\.txt/);
  });

  test('a key between check and edit makes it stale, and stays', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\n' });
    const editor = await rooms.open('a.txt');
    const typing = type('x');
    const result = edit(parts, editor.document, replace(0, 0, 0, 3, 'ONE'));
    await typing;
    isRefused(await result, 'stale', /typed before/);
    assert.equal(editor.document.getText(), 'xone\n');
    assert.equal(await serverHolds(parts, editor.document, 'xone\n'), true);
  });

  test('what is not open, not a file, or read-only is refused', async () => {
    const parts = await rooms.begin({
      'a.txt': 'one\n',
      'b.txt': 'two\n',
      'c/d.txt': 'three\n',
      'n.ipynb': NOTEBOOK,
    });
    const apply = (place: vscode.Uri): Promise<Awaited<ReturnType<typeof edit>>> =>
      parts.edits.apply({
        label: 'test',
        documents: [{ uri: parts.server.fromUri(place), version: 1, sha256: '', edits: [] }],
      });
    isRefused(await apply(rooms.uri('a.txt')), 'not_open', /a\.txt is not open in VS Code$/);
    isRefused(await apply(vscode.Uri.parse('git:/x/y.txt')), 'not_open', /git:\/x\/y\.txt is not open/);
    const { document: settings } = await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument(vscode.Uri.parse('vscode://schemas/settings/user')),
    );
    isRefused(await apply(settings.uri), 'unavailable', /is no file that the server knows of/);

    const { document } = await rooms.open('b.txt');
    fs.chmodSync(document.uri.fsPath, 0o444);
    isRefused(await edit(parts, document, replace(0, 0, 0, 0, 'x')), 'unavailable', /its file is read-only/);
    fs.chmodSync(document.uri.fsPath, 0o644);
    const { document: guarded } = await rooms.open('c/d.txt');
    await withSetting('files.readonlyInclude', { '**/c/**': true }, async () => {
      isRefused(await edit(parts, guarded, replace(0, 0, 0, 0, 'x')), 'unavailable', /readonlyInclude/);
      isRefused(await edit(parts, document, replace(0, 0, 9, 0, 'x')), 'failed', /outside the 2 lines/);
    });
    assert.equal((await edit(parts, guarded, replace(0, 0, 0, 0, 'x'))).applied, true);

    const notebook = await vscode.workspace.openNotebookDocument(rooms.uri('n.ipynb'));
    await vscode.window.showNotebookDocument(notebook);
    isRefused(await apply(notebook.uri), 'unavailable', /n\.ipynb is open as a notebook/);
    const cell = notebook.cellAt(0).document;
    isRefused(await apply(cell.uri), 'unavailable', /a cell of a notebook/);
  });

  test('edits that are not valid, and documents that are named twice, are refused', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\ntwo\n' });
    const { document } = await rooms.open('a.txt');
    const bad = await edit(parts, document, replace(0, 0, 0, 3, 'x'), replace(0, 1, 0, 2, 'y'));
    isRefused(bad, 'failed', /a\.txt is not valid: two edits overlap in line 1/);
    const twice = [part(parts, document, []), part(parts, document, [])];
    isRefused(await parts.edits.apply({ label: 'test', documents: twice }), 'failed', /named twice/);
    assert.equal(document.getText(), 'one\ntwo\n');
  });

  test('an untitled document, a background tab, and CRLF are edited like any other', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\r\ntwo\r\n', 'b.txt': 'x\n' });
    const untitled = await vscode.workspace.openTextDocument({ content: 'new' });
    await edit(parts, untitled, replace(0, 3, 0, 3, '\nnewer 🦀'));
    assert.equal(untitled.getText(), 'new\nnewer 🦀');
    assert.equal(await serverHolds(parts, untitled, 'new\nnewer 🦀'), true);
    const { document } = await rooms.open('a.txt');
    await rooms.open('b.txt');
    await edit(parts, document, replace(1, 3, 1, 3, '\nthree'));
    assert.equal(document.getText(), 'one\r\ntwo\r\nthree\r\n');
    assert.equal(await serverHolds(parts, document, 'one\r\ntwo\r\nthree\r\n'), true);
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, rooms.uri('b.txt').fsPath);
  });

  test('several documents change at once', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const { document: first } = await rooms.open('a.txt');
    const { document: second } = await rooms.open('b.txt');
    const result = await parts.edits.apply({
      label: 'test',
      documents: [
        part(parts, first, [replace(0, 0, 0, 3, 'ONE')]),
        part(parts, second, [replace(0, 0, 0, 3, 'TWO')]),
      ],
    });
    assert.equal(result.applied, true);
    assert.deepEqual([first.getText(), second.getText()], ['ONE\n', 'TWO\n']);
  });

  test('the text that VS Code makes of a file is the one that the server holds', async () => {
    const texts = {
      'bom.txt': '\ufeffone\ntwo\n',
      'cr.txt': 'one\rtwo\nthree\n',
      'mixed.txt': 'one\r\ntwo\nthree\r\n',
      'separator.txt': 'one\u2028two\u0085\n',
      'empty.txt': '',
      'open.txt': 'no end',
    };
    const parts = await rooms.begin(texts);
    const shown: Record<string, string> = {};
    await withSetting('editor.unusualLineTerminators', 'off', async () => {
      for (const file of Object.keys(texts)) {
        const { document } = await rooms.open(file);
        shown[file] = document.getText();
        assert.equal(await serverHolds(parts, document, document.getText()), true, file);
        assert.equal((await edit(parts, document, replace(0, 0, 0, 0, 'é🦀'))).applied, true, file);
        assert.equal(await serverHolds(parts, document, document.getText()), true, file);
      }
      // Closed before the setting asks the user about a line separator.
      await rooms.end();
    });
    assert.deepEqual(shown, {
      'bom.txt': 'one\ntwo\n',
      'cr.txt': 'one\ntwo\nthree\n',
      'mixed.txt': 'one\r\ntwo\r\nthree\r\n',
      'separator.txt': 'one\u2028two\u0085\n',
      'empty.txt': '',
      'open.txt': 'no end',
    });
  });
});

const NOTEBOOK = JSON.stringify({
  cells: [{ cell_type: 'code', metadata: {}, source: ['1'], outputs: [], execution_count: null }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});
