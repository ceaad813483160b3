// Commands that belong to no other suite, and that there is none in the manifest which does nothing.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { SCHEME } from '../../src/approvals/document.ts';
import type { Node } from '../../src/views/node.ts';
import { call, say } from '../harness/turns.ts';
import { Person } from './person.ts';
import { answer } from './review.ts';
import { Scene, until } from './scene.ts';

const DENIED = { status: 'denied' };

/** Reads a file that is not read unasked. */
function secret(path: string, expect: object): object {
  return call('read_file', { path }, expect);
}

suite('commands', () => {
  let scene: Scene;
  let person: Person;

  setup(() => {
    person = new Person();
  });

  teardown(async () => {
    person.dispose();
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await scene.end();
  });

  async function question(): Promise<Node> {
    return until('the question', () => scene.parts.surfaces.views.questions.nodes[0]);
  }

  test('of the manifest are all registered', async () => {
    scene = await Scene.begin({}, [say('Done.')]);
    const manifest = vscode.extensions.getExtension('mewcode.mewcode')?.packageJSON as {
      contributes: { commands: { command: string }[] };
    };
    const known = new Set(await vscode.commands.getCommands(true));
    const missing = manifest.contributes.commands.filter(({ command }) => !known.has(command));
    assert.deepEqual(missing, []);
  });

  test('are run from the menu, which has what can be done now', async () => {
    scene = await Scene.begin({ '.env': 'TOKEN=one\n' }, [
      secret('.env', { status: 'interrupted' }),
      say('Done.'),
    ]);
    person.prepare('Set the Mode…');
    person.prepare('Plan');
    await vscode.commands.executeCommand('mew.menu');
    await until('the mode', () => scene.status?.mode === 'plan');
    await scene.parts.server.execute('mewcode.setMode', { mode: 'default' });
    await scene.prompt('read it');
    await question();
    await until('that it runs', () => scene.parts.surfaces.state.overview.status?.running === 1);
    person.prepare('Stop the Run');
    await vscode.commands.executeCommand('mew.menu');
    await scene.ended('cancelled');
    person.assertDone();
  });

  test('stand under the status, which the keyboard reaches so', async () => {
    scene = await Scene.begin({}, [say('Done.')], 'plan');
    await until('the mode', () => scene.parts.surfaces.state.overview.status?.mode === 'plan');
    const asked: unknown[] = [];
    answer('showQuickPick', ([, options]) => {
      asked.push(options);
      return undefined;
    });
    await vscode.commands.executeCommand('mew.menu');
    const [options] = asked as vscode.QuickPickOptions[];
    assert.match(options?.title ?? '', /^MewCode \d+\.\d+\.\d+: Plan · /);
    assert.match(options?.placeHolder ?? '', /^Sandbox: /);
  });

  test('say what the choice of a mode holds for', async () => {
    scene = await Scene.begin({}, [say('Done.')]);
    const asked: unknown[] = [];
    answer('showQuickPick', ([, options]) => {
      asked.push(options);
      return undefined;
    });
    await vscode.commands.executeCommand('mew.setMode');
    const [options] = asked as vscode.QuickPickOptions[];
    assert.equal(options?.placeHolder, 'For this session and every later one');
  });

  test('answer and show the question of a row', async () => {
    scene = await Scene.begin({ '.env': 'TOKEN=one\n', 'b/.env': 'TOKEN=two\n' }, [
      secret('.env', { status: 'ok', contains: 'TOKEN=one' }),
      secret('b/.env', DENIED),
      say('Done.'),
    ]);
    await scene.prompt('read both');
    const first = await question();
    await vscode.commands.executeCommand('mew.showQuestion', first);
    const shown = vscode.window.activeTextEditor?.document;
    assert.equal(shown?.uri.scheme, SCHEME);
    assert.match(shown.getText(), /\.env/);
    assert.equal(scene.parts.questions.waiting.length, 1, 'it is looked at, and not answered');
    await vscode.commands.executeCommand('mew.allowQuestion', first);
    const second = await until('the second', () => {
      const [node] = scene.parts.surfaces.views.questions.nodes;
      return node?.key !== first.key && node;
    });
    // Without a row nothing is answered.
    await vscode.commands.executeCommand('mew.allowQuestion');
    await vscode.commands.executeCommand('mew.denyQuestion');
    assert.equal(scene.parts.questions.waiting.length, 1);
    const denied = Promise.resolve(vscode.commands.executeCommand('mew.denyQuestion', second));
    await person.write('not that one');
    await denied;
    await scene.ended();
  });

  test('move the command that a run waits for to the background', async () => {
    const told = { status: 'ok', contains: 'moved it to the background' };
    const stop = call('process_stop', { id: 'cmd_1' }, { status: 'ok' });
    scene = await Scene.begin(
      {},
      [call('bash', { command: 'sleep 1000' }, told), stop, say('Done.')],
      'bypass',
    );
    await vscode.commands.executeCommand('mew.moveToBackground');
    await scene.prompt('wait');
    await until('the move', async () => {
      await vscode.commands.executeCommand('mew.moveToBackground');
      return scene.events.some(({ event }) => event.kind === 'call_ended' && event.tool === 'bash');
    });
    await scene.ended();
  });

  test('stop and move to the background the run of a session that is not the current one', async () => {
    const moved = { status: 'ok', contains: 'moved it to the background' };
    const wait = (expect: object): object => call('bash', { command: 'sleep 1000' }, expect);
    const turns = [wait(moved), call('process_stop', { id: 'cmd_1' }, { status: 'ok' })];
    scene = await Scene.begin({}, [...turns, wait({ status: 'interrupted' }), say('Done.')], 'bypass');
    const started = (count: number): Promise<unknown> =>
      until(`${count} commands`, () => {
        const calls = scene.events.filter(
          ({ event }) => event.kind === 'call_started' && event.tool === 'bash',
        );
        return calls.length === count;
      });
    await scene.prompt('the first one');
    await started(1);
    await vscode.commands.executeCommand('mew.newSession');
    await until('the move', async () => {
      await vscode.commands.executeCommand('mew.moveToBackground');
      return scene.events.some(({ event }) => event.kind === 'call_ended' && event.tool === 'bash');
    });
    await started(2);
    // The script of the second one, which waits too.
    scene.write('turns.yaml', JSON.stringify({ turns: [wait({ status: 'interrupted' })] }));
    await vscode.commands.executeCommand('mew.reloadConfiguration');
    await vscode.commands.executeCommand('mew.newSession');
    await scene.prompt('the second one');
    await started(3);
    await vscode.commands.executeCommand('mew.newSession');
    person.prepare('the first one');
    await vscode.commands.executeCommand('mew.stop');
    person.assertDone();
    await scene.ended('cancelled');
    const prompts = scene.events.filter(({ event }) => event.kind === 'run_started');
    assert.equal(scene.events.at(-1)?.session, prompts[0]?.session);
    await vscode.commands.executeCommand('mew.stop');
    await until(
      'both ends',
      () => scene.events.filter(({ event }) => event.kind === 'run_ended').length === 2,
    );
  });

  test('the configuration is read again: the next session plays another script', async () => {
    scene = await Scene.begin({}, [say('The old one.')]);
    scene.write('turns.yaml', JSON.stringify({ turns: [say('The new one.')] }));
    await vscode.commands.executeCommand('mew.reloadConfiguration');
    await vscode.commands.executeCommand('mew.newSession');
    await scene.prompt('which');
    await scene.ended();
    const said = scene.events.map(({ event }) => (event.kind === 'text' ? event.delta : '')).join('');
    assert.equal(said, 'The new one.');
  });

  test('the log is shown', async () => {
    scene = await Scene.begin({}, [say('Done.')]);
    await vscode.commands.executeCommand('workbench.action.closePanel');
    await vscode.commands.executeCommand('mew.showLog');
    const log = await until('the log', () =>
      vscode.workspace.textDocuments.find(
        (one) => one.uri.scheme === 'output' && one.getText().includes('The server runs: version'),
      ),
    );
    assert.match(log.uri.path, /MewCode/);
    await vscode.commands.executeCommand('workbench.action.closePanel');
  });

  test('the walkthrough is opened', async () => {
    scene = await Scene.begin({}, [say('Done.')]);
    assert.equal(vscode.window.tabGroups.activeTabGroup.tabs.length, 0);
    await vscode.commands.executeCommand('mew.openWalkthrough');
    // VS Code's own name for it; what it shows is seen in the tests of the window.
    await until('its tab', () => vscode.window.tabGroups.activeTabGroup.activeTab?.label === 'Welcome');
  });

  test('sessions are listed, the newest first; a row opens its transcript and stops its run', async () => {
    scene = await Scene.begin({ '.env': 'TOKEN=one\n' }, [say('One.')]);
    await scene.prompt('the first one');
    await scene.ended();
    scene.write('turns.yaml', JSON.stringify({ turns: [secret('.env', { status: 'interrupted' })] }));
    await vscode.commands.executeCommand('mew.reloadConfiguration');
    await vscode.commands.executeCommand('mew.newSession');
    await scene.prompt('the second one');
    await question();
    const rows = (): readonly Node[] => scene.parts.surfaces.views.sessions.nodes;
    const row = (label: string): Promise<Node> =>
      until(label, () => rows().find((node) => node.label === label));
    await until('the run', () => rows()[0]?.context === 'session-running');
    assert.deepEqual(
      rows()
        .slice(0, 2)
        .map(({ label, description }) => [label, description]),
      [
        ['the second one', 'running · current · default'],
        ['the first one', 'default'],
      ],
    );
    const first = await row('the first one');
    assert.ok(first.command);
    await vscode.commands.executeCommand(first.command.command, first.command.argument);
    await until(
      'its transcript',
      () => vscode.window.tabGroups.activeTabGroup.activeTab?.label === 'Transcript: the first one',
    );
    // As the buttons of the rows do: the run of the other session goes on.
    await vscode.commands.executeCommand('mew.stop', first);
    assert.equal(scene.parts.questions.waiting.length, 1);
    await vscode.commands.executeCommand('mew.stop', await row('the second one'));
    await scene.ended('cancelled');
    await until('the end', () => rows()[0]?.context === 'session');
    await vscode.commands.executeCommand('mew.setMode', { mode: 'plan' });
    await until('its mode', () => rows()[0]?.description === 'current · plan');
  });
});
