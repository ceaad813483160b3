// The side bar, the status bar and their commands inside VS Code.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { call, edit, read, say } from '../harness/turns.ts';
import type { Node } from '../../src/views/node.ts';
import { Scene, until } from './scene.ts';

suite('views', () => {
  let scene: Scene;

  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await scene.end();
  });

  /** The rows of a file in the list of hunks, when there are so many. */
  async function rows(label: string, count: number): Promise<Node[]> {
    return until(`${count} rows of ${label}`, () => {
      const file = scene.parts.surfaces.views.hunks.nodes.find((node) => node.label === label);
      const children = file?.children ?? [];
      return children.length === count && [...children];
    });
  }

  async function text(pattern: RegExp): Promise<void> {
    await until(`${pattern.source} in the status bar`, () =>
      pattern.test(scene.parts.surfaces.statusItem.shown.text),
    );
  }

  test('list hunks by file, go to them and decide on them', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
    const turns = [
      read('long.txt'),
      edit('long.txt', 'line 50', 'line fifty', { status: 'denied' }),
      say('No.'),
    ];
    scene = await Scene.begin({ 'long.txt': `${lines}\n`, 'plain.txt': 'plain\n' }, turns);
    await scene.open('plain.txt');
    await scene.prompt('spell it');
    const [row] = await rows('long.txt', 1);
    assert.equal(row?.label, '51: line fifty');
    assert.match(row.tooltip ?? '', /− line 50\n\+ line fifty/);
    await text(/1 hunk/);
    const { command, argument } = row.command ?? assert.fail('it goes somewhere');
    await vscode.commands.executeCommand(command, argument);
    assert.equal(vscode.window.activeTextEditor?.document.uri.path, scene.uri('long.txt').path);
    assert.equal(vscode.window.activeTextEditor.selection.active.line, 50);
    // As the button of the row does.
    const [again] = await rows('long.txt', 1);
    await vscode.commands.executeCommand('mew.rejectHunk', again);
    await until('the end of the list', () => scene.parts.surfaces.views.hunks.nodes.length === 0);
    await scene.ended();
  });

  test('decide on all hunks of a file by the row of the file', async () => {
    const turns = [read('plain.txt'), edit('plain.txt', 'plain', 'fancy', { status: 'denied' }), say('No.')];
    scene = await Scene.begin({ 'plain.txt': 'plain\n' }, turns);
    await scene.prompt('change it');
    await rows('plain.txt', 1);
    const [file] = scene.parts.surfaces.views.hunks.nodes;
    await vscode.commands.executeCommand('mew.rejectFile', file);
    await until('the end of the list', () => scene.parts.surfaces.views.hunks.nodes.length === 0);
    await scene.ended();
    assert.equal(scene.disk('plain.txt'), 'plain\n');
  });

  test('the mode is set by its name, and a wrong name is told', async () => {
    scene = await Scene.begin({}, [say('Done.')]);
    await vscode.commands.executeCommand('mew.setMode', { mode: 'plan' });
    await text(/plan/);
    await vscode.commands.executeCommand('mew.setMode', { mode: 'everything' });
    await vscode.commands.executeCommand('mew.setMode', { mode: 'default' });
    await text(/default/);
  });

  test('the mode is chosen from a list that begins with the default', async () => {
    scene = await Scene.begin({}, [say('Done.')], 'plan');
    await text(/plan/);
    let chosen: Promise<unknown> | undefined;
    await until('the mode', async () => {
      // VS Code closes a list when something else takes the focus: then it is opened again.
      chosen ??= Promise.resolve(vscode.commands.executeCommand('mew.setMode')).finally(() => {
        chosen = undefined;
      });
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return scene.parts.surfaces.state.overview.status?.mode === 'default';
    });
  });

  test('a run is stopped, and its question goes with it', async () => {
    const command = { command: 'touch made.txt', description: 'leave a file' };
    scene = await Scene.begin({}, [call('bash', command, { status: 'interrupted' }), say('Done.')]);
    await scene.prompt('do it');
    await until('the question', () => scene.parts.questions.waiting.length === 1);
    await text(/1 question · default · running/);
    await vscode.commands.executeCommand('mew.stop');
    await scene.ended('cancelled');
    await until('its end', () => scene.parts.questions.waiting.length === 0);
    await text(/^\$\(hubot\) MewCode: default$/);
    // Nothing runs any more, which is told and no error.
    await vscode.commands.executeCommand('mew.stop');
  });

  test('a new session begins', async () => {
    scene = await Scene.begin({}, [say('Done.')]);
    await scene.prompt('one');
    await scene.ended();
    await vscode.commands.executeCommand('mew.newSession');
    await scene.prompt('two');
    await until('the second session', () => new Set(scene.events.map((event) => event.session)).size === 2);
    await scene.ended();
  });

  test('show nothing of a server that is gone', async () => {
    const turns = [read('plain.txt'), edit('plain.txt', 'plain', 'fancy', { status: 'denied' }), say('No.')];
    scene = await Scene.begin({ 'plain.txt': 'plain\n' }, turns);
    await scene.prompt('change it');
    await rows('plain.txt', 1);
    const phases: number[] = [];
    const listening = scene.parts.server.onDidChangePhase(() => {
      phases.push(scene.parts.questions.waiting.length);
    });
    const text: string[] = [];
    const watching = scene.parts.surfaces.state.onDidChange(() => {
      text.push(scene.parts.surfaces.statusItem.shown.text);
    });
    await vscode.commands.executeCommand('mew.restart');
    await until('the server', () => scene.parts.server.phase === 'running');
    listening.dispose();
    watching.dispose();
    assert.ok(phases.length > 0);
    assert.ok(
      text.some((one) => /starting|stopped/.test(one)),
      text.join('\n'),
    );
    await vscode.commands.executeCommand('mew.rejectAll');
  });
});
