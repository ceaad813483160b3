// The settings on their way to the server: the user's and nobody else's, at its start and while it runs.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Status } from '../../src/protocol.ts';
import { followConfiguration } from '../../src/server/commands.ts';
import type { Connection, Phase } from '../../src/server/connection.ts';
import { configuration } from '../../src/server/settings.ts';
import type { Server } from '../../src/server/server.ts';
import { inside, until } from './scene.ts';

function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension('mewcode.mewcode');
  assert.ok(found);
  return found;
}

async function set(key: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('mewcode').update(key, value, vscode.ConfigurationTarget.Global);
}

async function mode(server: Server): Promise<string> {
  return (await server.execute<Status>('mewcode.status', {})).mode;
}

suite('settings', () => {
  let server: Server;

  setup(async () => {
    ({ server } = await inside());
    // A session would have a mode of its own.
    await server.restart();
  });

  teardown(async () => {
    for (const key of ['mode', 'limits.processes', 'permissions.deny']) {
      await set(key, undefined);
    }
  });

  test('of the user are sent, nested, and only those that are set', async () => {
    assert.deepEqual(configuration(extension()), {});
    await set('limits.processes', 77);
    await set('permissions.deny', ['bash(rm:*)']);
    assert.deepEqual(configuration(extension()), {
      limits: { processes: 77 },
      permissions: { deny: ['bash(rm:*)'] },
    });
  });

  test('reach the server when it starts and while it runs', async () => {
    assert.equal(await mode(server), 'default');
    await set('mode', 'dont_ask');
    await until('the mode', async () => (await mode(server)) === 'dont_ask');
    await server.restart();
    assert.equal(await mode(server), 'dont_ask');
    await set('mode', undefined);
    await until('the mode', async () => (await mode(server)) === 'default');
  });

  test('that change while the server starts reach it when it runs', async () => {
    const phases = new vscode.EventEmitter<Phase>();
    const told: unknown[] = [];
    const starting = {
      phase: 'starting' as Phase,
      onDidChangePhase: phases.event,
      // As the real one: nothing is said to a server that does not run.
      notify(_method: string, params: object) {
        if (this.phase === 'running') {
          told.push(params);
        }
      },
    } satisfies Partial<Connection>;
    const following = followConfiguration(starting, extension());
    try {
      const change = new Promise((resolve) => {
        const listening = vscode.workspace.onDidChangeConfiguration((event) => {
          listening.dispose();
          resolve(event);
        });
      });
      await set('mode', 'dont_ask');
      await change;
      assert.deepEqual(told, []);
      starting.phase = 'running';
      phases.fire('running');
      assert.deepEqual(told, [{ settings: { mewcode: { mode: 'dont_ask' } } }]);
      phases.fire('running');
      assert.equal(told.length, 1, 'once');
    } finally {
      following.dispose();
      phases.dispose();
    }
  });

  test('that are wrong change nothing', async () => {
    await set('mode', 'plan');
    await until('the mode', async () => (await mode(server)) === 'plan');
    await set('limits.processes', 'many');
    await set('mode', 'dont_ask');
    assert.equal(await mode(server), 'plan');
    await set('limits.processes', undefined);
    await until('the mode', async () => (await mode(server)) === 'dont_ask');
  });

  test('of the workspace are not sent', async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(folder !== undefined);
    const file = path.join(folder, '.vscode/settings.json');
    const read = (): unknown => vscode.workspace.getConfiguration('editor').get('wordSeparators');
    const usual = read();
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(
      file,
      JSON.stringify({
        'mewcode.mode': 'bypass',
        'mewcode.server.path': '/bin/false',
        'mewcode.server.arguments': ['--mode', 'bypass'],
        'mewcode.permissions.allow': ['bash'],
        'mewcode.limits.processes': 0,
        'mewcode.trace.server': 'verbose',
        // That the file is read at all.
        'editor.wordSeparators': '+',
      }),
    );
    await until('the settings of the workspace', () => read() === '+');
    assert.equal(vscode.workspace.getConfiguration('mewcode').get('trace.server'), 'off');
    assert.deepEqual(configuration(extension()), {});
    await server.restart();
    assert.equal(server.phase, 'running');
    assert.equal(await mode(server), 'default');
    fs.rmSync(path.dirname(file), { recursive: true });
    await until('their end', () => read() === usual);
  });
});
