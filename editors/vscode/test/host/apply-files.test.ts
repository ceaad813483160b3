// Files that are removed and moved while they are open, and files that VS Code holds in another form.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import { call, edit as editTurn, read, say } from '../harness/turns.ts';
import { isRefused, part, replace, Rooms, serverHolds, type, withSetting } from './hand.ts';
import { until } from './scene.ts';

suite('apply: files', () => {
  const rooms = new Rooms('files');
  const target = (file: string): string => rooms.scene.parts.server.fromUri(rooms.uri(file));

  teardown(() => rooms.end());

  test('a removed file is closed, without a question', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const { document: other } = await rooms.open('b.txt');
    const { document } = await rooms.open('a.txt');
    const result = await parts.edits.apply({
      label: 'test',
      documents: [
        part(parts, document, [], { kind: 'remove' }),
        part(parts, other, [replace(0, 0, 0, 3, 'TWO')]),
      ],
    });
    assert.equal(result.applied, true, result.message);
    assert.deepEqual(
      result.documents?.map(({ uri }) => uri),
      [target('b.txt')],
    );
    assert.equal(rooms.exists('a.txt'), false);
    assert.equal(document.isClosed, true);
    assert.equal(other.getText(), 'TWO\n');
    await assert.rejects(serverHolds(parts, document, 'one\n'), /is not open/);
  });

  test('unsaved changes are never removed, and nothing else is done then', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const { document: other } = await rooms.open('b.txt');
    const { document } = await rooms.open('a.txt');
    await type('mine ');
    const documents = [
      part(parts, other, [replace(0, 0, 0, 3, 'TWO')]),
      part(parts, document, [], { kind: 'remove' }),
    ];
    isRefused(await parts.edits.apply({ label: 'test', documents }), 'unavailable', /unsaved changes/);
    assert.equal(rooms.exists('a.txt'), true);
    assert.equal(document.getText(), 'mine one\n');
    assert.equal(other.getText(), 'two\n');
    await document.save();
    const again = [part(parts, document, [], { kind: 'remove' })];
    isRefused(
      await parts.edits.apply({ label: 'test', documents: again }),
      'unavailable',
      /is being typed in/,
    );
  });

  test('a moved file takes its editor and the edit along', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\ntwo\n' });
    const { document } = await rooms.open('a.txt');
    const documents = [
      part(parts, document, [replace(0, 0, 0, 3, 'ONE')], { kind: 'move', uri: target('deep/b.txt') }),
    ];
    const result = await parts.edits.apply({ label: 'test', documents });
    assert.equal(result.applied, true, result.message);
    assert.deepEqual(
      result.documents?.map(({ uri }) => uri),
      [target('deep/b.txt')],
    );
    assert.equal(rooms.exists('a.txt'), false);
    assert.equal(rooms.exists('deep/b.txt'), true);
    const moved = vscode.window.activeTextEditor?.document;
    assert.ok(moved);
    assert.equal(parts.server.fromUri(moved.uri), target('deep/b.txt'));
    assert.equal(moved.getText(), 'ONE\ntwo\n');
    assert.equal(await serverHolds(parts, moved, 'ONE\ntwo\n'), true);
    await assert.rejects(serverHolds(parts, document, 'one\ntwo\n'), /is not open/);
  });

  test('a moved file stays unsaved if it was', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\n' });
    const { document } = await rooms.open('a.txt');
    await type('mine ');
    const documents = [part(parts, document, [], { kind: 'move', uri: target('b.txt') })];
    assert.equal((await parts.edits.apply({ label: 'test', documents })).applied, true);
    const moved = vscode.window.activeTextEditor?.document;
    assert.ok(moved);
    assert.equal(moved.getText(), 'mine one\n');
    assert.equal(moved.isDirty, true);
    assert.equal(rooms.disk('b.txt'), 'one\n');
  });

  test('nothing is moved over something else', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const { document } = await rooms.open('a.txt');
    const documents = [
      part(parts, document, [replace(0, 0, 0, 3, 'ONE')], { kind: 'move', uri: target('b.txt') }),
    ];
    isRefused(await parts.edits.apply({ label: 'test', documents }), 'unavailable', /something is there/);
    assert.equal(document.getText(), 'one\n');
    assert.equal(rooms.disk('b.txt'), 'two\n');
  });

  test('what VS Code cannot do is taken back', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\ntwo\n', 'c.txt': 'three\n', plain: 'a file\n' });
    const { document: other } = await rooms.open('c.txt');
    const { document } = await rooms.open('a.txt');
    const documents = [
      part(parts, other, [replace(0, 0, 0, 5, 'THREE')], { kind: 'move', uri: target('d.txt') }),
      // No file can be in a file.
      part(parts, document, [replace(1, 0, 1, 3, 'TWO\nmore')], { kind: 'move', uri: target('plain/a.txt') }),
    ];
    isRefused(await parts.edits.apply({ label: 'test', documents }), 'failed', /VS Code did not move/);
    assert.equal(document.getText(), 'one\ntwo\n');
    assert.equal(rooms.disk('a.txt'), 'one\ntwo\n');
    assert.equal(rooms.exists('d.txt'), false);
    assert.equal(rooms.disk('c.txt'), 'three\n');
  });

  test('a run removes and moves open files', async () => {
    const lines = (own: (file: string) => string): string[] => [
      '*** Begin Patch',
      `*** Delete File: ${own('gone.txt')}`,
      `*** Update File: ${own('from.txt')}`,
      `*** Move to: ${own('to.txt')}`,
      '@@',
      ' one',
      '-two',
      '+TWO',
      '*** End Patch',
    ];
    await rooms.begin({ 'gone.txt': 'x\n', 'from.txt': 'one\ntwo\n' }, (own) => [
      read(own('gone.txt')),
      read(own('from.txt')),
      call('apply_patch', { patch: lines(own).join('\n') }),
      say('Done.'),
    ]);
    await rooms.open('gone.txt');
    await rooms.open('from.txt');
    await rooms.scene.prompt('tidy up');
    await rooms.scene.ended();
    assert.equal(rooms.exists('gone.txt'), false);
    assert.equal(rooms.exists('from.txt'), false);
    assert.equal(rooms.disk('to.txt'), 'one\nTWO\n');
    assert.equal(vscode.window.activeTextEditor?.document.isDirty, false);
  });

  test('files in custom editors, and texts that are too large to be shared, are told to the server', async () => {
    const parts = await rooms.begin({ 'a.txt': 'one\n', 'large.txt': 'x'.repeat(51 * 1024 * 1024) });
    fs.writeFileSync(rooms.uri('p.png').fsPath, Buffer.from(PIXEL, 'base64'));
    await rooms.open('a.txt');
    for (const file of ['p.png', 'large.txt']) {
      await vscode.commands.executeCommand('vscode.open', rooms.uri(file), { preview: false });
    }
    const held = () => parts.holding.files.filter(({ uri }) => uri.startsWith(target('')));
    await until('both', () => held().length === 2);
    assert.deepEqual(held(), [
      { uri: target('large.txt'), kind: 'unsynchronised' },
      { uri: target('p.png'), kind: 'custom' },
    ]);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await until('none', () => held().length === 0);
    fs.rmSync(rooms.uri('large.txt').fsPath);
  });

  test('an empty document gets the line endings that the user set, a new file LF', async () => {
    await withSetting('files.eol', '\r\n', async () => {
      await rooms.begin({ 'empty.txt': '' }, (own) => [
        read(own('empty.txt')),
        call('write_file', { path: own('empty.txt'), content: 'one\ntwo\n' }),
        editTurn(own('empty.txt'), 'two', 'TWO\nthree'),
        call('write_file', { path: own('new.txt'), content: 'one\ntwo\n' }),
        say('Done.'),
      ]);
      const { document } = await rooms.open('empty.txt');
      assert.equal(document.eol, vscode.EndOfLine.CRLF);
      await rooms.scene.prompt('fill it');
      await rooms.scene.ended();
      assert.equal(document.getText(), 'one\r\nTWO\r\nthree\r\n');
      assert.equal(document.isDirty, false);
      assert.equal(rooms.disk('empty.txt'), 'one\r\nTWO\r\nthree\r\n');
      assert.equal(rooms.disk('new.txt'), 'one\ntwo\n');
    });
  });

  test('a file that is open as a notebook is not written behind it', async () => {
    const refusal = {
      status: 'failed',
      error_kind: 'unavailable',
      contains: 'is open in the editor as a notebook',
    };
    await rooms.begin({ 'n.ipynb': NOTEBOOK }, (own) => [
      read(own('n.ipynb')),
      editTurn(own('n.ipynb'), 'hello', 'goodbye', refusal),
      call('write_file', { path: own('n.ipynb'), content: '{}\n' }, refusal),
      say('It is open.'),
      read(own('n.ipynb')),
      editTurn(own('n.ipynb'), 'hello', 'goodbye'),
      say('Done.'),
    ]);
    const notebook = await vscode.workspace.openNotebookDocument(rooms.uri('n.ipynb'));
    await vscode.window.showNotebookDocument(notebook);
    await rooms.scene.prompt('edit');
    await rooms.scene.ended();
    assert.equal(rooms.disk('n.ipynb'), NOTEBOOK);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rooms.scene.events.length = 0;
    await rooms.scene.prompt('again');
    await rooms.scene.ended();
    assert.match(rooms.disk('n.ipynb'), /goodbye/);
  });
});

/** A picture of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYM9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const NOTEBOOK = `${JSON.stringify(
  {
    cells: [{ cell_type: 'markdown', metadata: {}, source: ['hello'] }],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  },
  undefined,
  1,
)}\n`;
