// Typing while the agent edits, and long texts.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { call, edit as editTurn, read, say } from '../harness/turns.ts';
import { edit, replace, serverHolds, type } from './hand.ts';
import { Scene } from './scene.ts';

suite('apply: typing', () => {
  let scene: Scene;

  teardown(() => scene.end());

  test('hundreds of keys and hundreds of edits: nothing is lost, and none is half in', async () => {
    const lines = Array.from({ length: 200 }, (_, line) => `line ${line}`);
    scene = await Scene.begin({ 'typing/a.txt': `${lines.join('\n')}\n` }, [say('Nothing to do.')]);
    const editor = await scene.open('typing/a.txt');
    const { document } = editor;
    editor.selection = new vscode.Selection(100, 0, 100, 0);
    let [typed, applied, stale] = ['', 0, 0];
    const state = { typing: true };
    const hand = (async () => {
      for (let key = 0; key < 400; key++) {
        const letter = String.fromCharCode(97 + (key % 26));
        await type(letter);
        typed += letter;
      }
      state.typing = false;
    })();
    // Two places of one edit, so that a half of it could be told.
    for (let count = 0; state.typing || applied < 200; count++) {
      const result = await edit(
        scene.parts,
        document,
        replace(10, 0, 10, document.lineAt(10).text.length, `top ${applied + 1}`),
        replace(150, 0, 150, document.lineAt(150).text.length, `bottom ${applied + 1}`),
      );
      if (result.applied) {
        applied += 1;
      } else {
        assert.equal(result.reason, 'stale', result.message);
        stale += 1;
      }
      const [, top] = /^top (\d+)$/.exec(document.lineAt(10).text) ?? [];
      const [, bottom] = /^bottom (\d+)$/.exec(document.lineAt(150).text) ?? [];
      assert.equal(top, bottom);
      assert.ok(count < 20_000);
    }
    await hand;
    assert.ok(applied >= 200, `${applied} edits`);
    assert.equal(document.lineAt(100).text, `${typed}line 100`);
    const expected = lines.map((line, at) =>
      at === 10 ? `top ${applied}` : at === 150 ? `bottom ${applied}` : at === 100 ? `${typed}${line}` : line,
    );
    assert.equal(document.getText(), `${expected.join('\n')}\n`);
    assert.equal(await serverHolds(scene.parts, document, document.getText()), true);
    assert.ok(stale < 2000, `${stale} stale`);
  });

  test('a run edits what is typed in: every edit lands, and every key stays', async () => {
    const lines = Array.from({ length: 60 }, (_, line) => `line ${line}.`);
    const turns = Array.from({ length: 15 }, (_, at) =>
      editTurn('typing/b.txt', `line ${at}.`, `edited ${at}.`),
    );
    scene = await Scene.begin(
      { 'typing/b.txt': `${lines.join('\n')}\n` },
      [read('typing/b.txt'), ...turns, say('Done.')],
      'bypass',
    );
    const editor = await scene.open('typing/b.txt');
    editor.selection = new vscode.Selection(45, 0, 45, 0);
    const state = { running: true };
    const run = scene
      .prompt('edit')
      .then(() => scene.ended())
      .finally(() => (state.running = false));
    let typed = '';
    while (state.running) {
      const letter = String.fromCharCode(97 + (typed.length % 26));
      await type(letter);
      typed += letter;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await run;
    const expected = lines.map((line, at) =>
      at < 15 ? `edited ${at}.` : at === 45 ? `${typed}${line}` : line,
    );
    assert.equal(editor.document.getText(), `${expected.join('\n')}\n`);
    assert.ok(typed.length >= 10, typed);
  });

  test('100 000 lines: top, middle and end within a second each, and undone', async () => {
    const lines = Array.from({ length: 100_000 }, (_, line) => `line ${line} of a long text`);
    const text = `${lines.join('\n')}\n`;
    scene = await Scene.begin({ 'typing/long.txt': text }, [say('Nothing to do.')]);
    const { document } = await scene.open('typing/long.txt');
    const places = [0, 50_000, 99_999];
    for (const line of places) {
      // The machine may be busy with something else at one time, not at all.
      const times: number[] = [];
      for (let time = 0; time < 3; time++) {
        const begun = Date.now();
        const result = await edit(
          scene.parts,
          document,
          replace(line, 0, line, 4, 'LINE'),
          replace(line, 5, line, 5, '🦀'),
        );
        times.push(Date.now() - begun);
        assert.equal(result.applied, true, result.message);
      }
      assert.equal(document.lineAt(line).text, `LINE 🦀🦀🦀${line} of a long text`);
      assert.ok(Math.min(...times) < 1000, `${times.join(', ')} ms at line ${line}`);
    }
    assert.equal(await serverHolds(scene.parts, document, document.getText()), true);
    for (let step = 0; step < 3 * places.length; step++) {
      await vscode.commands.executeCommand('undo');
    }
    assert.equal(document.getText() === text, true);
    assert.equal(await serverHolds(scene.parts, document, text), true);
  });

  test('a run edits a file of 100 000 lines at its top, in its middle and at its end', async () => {
    const lines = Array.from({ length: 100_000 }, (_, line) => `line ${line} of a long text`);
    const text = `${lines.join('\n')}\n`;
    const file = 'typing/longer.txt';
    const at = [0, 50_000, 99_999];
    scene = await Scene.begin(
      { [file]: text },
      [
        call('read_file', { path: file, offset: 1, limit: 10 }),
        call('read_file', { path: file, offset: 49_990, limit: 20 }),
        call('read_file', { path: file, offset: 99_990, limit: 20 }),
        ...at.map((line) => editTurn(file, `line ${line} of`, `LINE ${line} of`)),
        say('Done.'),
      ],
      'bypass',
    );
    const { document } = await scene.open(file);
    await scene.prompt('edit');
    await scene.ended();
    const expected = lines.map((line, index) => (at.includes(index) ? line.replace('line', 'LINE') : line));
    assert.equal(document.getText() === `${expected.join('\n')}\n`, true);
    assert.equal(document.isDirty, false);
    assert.equal(scene.disk(file) === document.getText(), true);
  });
});
