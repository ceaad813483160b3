// The server as VS Code runs it: killed, restarted, replaced by programs that are none.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Status } from '../../src/protocol.ts';
import { Backoff } from '../../src/server/backoff.ts';
import { ServerUnavailable } from '../../src/server/connection.ts';
import { Server, type Told } from '../../src/server/server.ts';
import { edit, read, say } from '../harness/turns.ts';
import { inside, Scene, until } from './scene.ts';

const TURNS = [read('greet.py'), edit('greet.py', 'hi', 'good day', { status: 'denied' }), say('No.')];
const FILES = { 'greet.py': 'print("hi")\n' };

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // Dead and not yet waited for is dead.
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The servers that this extension host has started and that are there. */
function servers(): number[] {
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const parent = /^PPid:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
        const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return Number(parent) === process.pid && words[1] === 'lsp' && isAlive(pid);
      } catch {
        return false;
      }
    });
}

async function status(server: Server): Promise<Status> {
  return server.execute<Status>('mewcode.status', {});
}

/** Kills the server, and waits until another one runs. */
async function kill(server: Server): Promise<void> {
  const { pid } = server;
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGKILL');
  await until('another server', () => server.phase === 'running' && server.pid !== pid);
  assert.deepEqual(servers(), [server.pid]);
}

suite('server', () => {
  test('runs, and tells its hunks and the end of a run', async () => {
    const scene = await Scene.begin(FILES, TURNS);
    const editor = await scene.open('greet.py');
    await scene.prompt('be polite');
    const [hunk] = await scene.hunks('greet.py', 1);
    assert.ok(hunk);
    assert.deepEqual(hunk.newLines, ['print("good day")']);
    assert.equal(editor.document.getText(), 'print("hi")\n');
    await scene.parts.server.execute('mewcode.review.reject', { hunk: hunk.id });
    await scene.ended();
    await scene.hunks('greet.py', 0).catch(() => assert.fail('the hunk stays'));
    await scene.end();
  });

  test('killed, it is started again with the documents, the handlers and the overrides', async () => {
    const scene = await Scene.begin(FILES, TURNS);
    const { server } = scene.parts;
    await scene.open('greet.py');
    const phases: string[] = [];
    const listening = server.onDidChangePhase((phase) => phases.push(phase));
    await kill(server);
    assert.deepEqual(phases, ['starting', 'running']);
    assert.equal(server.reason, undefined);
    await scene.prompt('be polite');
    const [hunk] = await scene.hunks('greet.py', 1);
    assert.ok(hunk);
    assert.notEqual(scene.parts.hunks.of(scene.uri('greet.py'))?.version, null, 'the document is open there');
    await server.execute('mewcode.review.reject', { hunk: hunk.id });
    await scene.ended();
    listening.dispose();
    await scene.end();
  });

  test('what is asked of it when it ends is refused with a sentence, and so is what is asked meanwhile', async () => {
    const { server } = await inside();
    await until('the server', () => server.phase === 'running');
    const { pid } = server;
    assert.ok(pid !== undefined);
    // It reads no more: the question waits until the end.
    process.kill(pid, 'SIGSTOP');
    const waiting = assert.rejects(
      status(server),
      (error) => error instanceof Error && error.message.includes('ended before it answered'),
    );
    // Asked in the very moment in which it is known to be gone.
    const asked = new Promise<unknown>((resolve) => {
      const listening = server.onDidChangePhase(() => {
        listening.dispose();
        status(server).catch(resolve);
      });
    });
    process.kill(pid, 'SIGKILL');
    await waiting;
    assert.match(String(await asked), /ended by the signal SIGKILL and is started again/);
    await until('another server', () => server.phase === 'running');
    await server.restart();
  });

  test('killed, it keeps a mode that is stricter than the configured one, and no looser one', async () => {
    const { server } = await inside();
    await server.restart();
    let told: Told | undefined;
    const listening = server.onTold((one) => (told = one));
    await server.execute('mewcode.setMode', { mode: 'plan' });
    await kill(server);
    await until('the mode', async () => (await status(server)).mode === 'plan');
    assert.equal(told, undefined);
    await server.execute('mewcode.setMode', { mode: 'bypass' });
    await kill(server);
    const { message } = await until('the word', () => told);
    assert.match(message, /“bypass”/);
    assert.equal((await status(server)).mode, 'default');
    listening.dispose();
    await server.restart();
  });

  test('a run that was under way when it ended is told', async () => {
    const scene = await Scene.begin(FILES, TURNS);
    const { server } = scene.parts;
    let told: Told | undefined;
    const listening = server.onTold((one) => (told = one));
    await scene.prompt('be polite');
    await scene.hunks('greet.py', 1);
    await until('the status', () => scene.status?.running === 1);
    await kill(server);
    const { message } = await until('the word', () => told);
    assert.match(message, /SIGKILL.*The run that was under way has stopped/);
    listening.dispose();
    await server.restart();
    await scene.end();
  });

  test('restarted by the command, it is another one, and there is never a second', async () => {
    const { server } = await inside();
    const before = server.pid;
    assert.ok(before !== undefined);
    await vscode.commands.executeCommand('mew.restart');
    assert.equal(server.phase, 'running');
    assert.notEqual(server.pid, before);
    assert.ok(!isAlive(before));
    await Promise.all([
      server.restart(),
      server.start(),
      server.stop(),
      server.start(),
      server.restart(),
      server.start(),
    ]);
    assert.equal(server.phase, 'running');
    assert.deepEqual(servers(), [server.pid]);
  });
});

suite('a server that is none', () => {
  let folder: string;
  let phases: string[];
  let told: Told[];

  setup(() => {
    folder = fs.mkdtempSync(path.join(process.env['HOME'] ?? '/tmp', 'fake-'));
    phases = [];
    told = [];
  });

  /** A server of this shell script. */
  async function fake(script: string, startMilliseconds = 20_000): Promise<Server> {
    const { server } = await inside();
    const command = path.join(folder, 'fake');
    fs.writeFileSync(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const own = new Server(
      () => Promise.resolve({ command, args: [], cwd: folder, options: {} }),
      '0.1.0',
      server.output,
      {
        startMilliseconds,
        backoff: new Backoff([0]),
      },
    );
    own.onDidChangePhase((phase) => phases.push(phase));
    own.onTold((one) => told.push(one));
    return own;
  }

  /** Starts it, waits until it is given up, and returns what is told. */
  async function failure(server: Server): Promise<Told> {
    const own = await inside();
    await server.start();
    await until('the failure', () => server.phase === 'failed');
    const [one, ...more] = told;
    assert.ok(one);
    assert.deepEqual(more, []);
    assert.equal(server.reason, one.message);
    assert.deepEqual(servers(), [own.server.pid], 'nothing is left');
    await assert.rejects(server.request('x', {}), ServerUnavailable);
    return one;
  }

  test('ends at once: five times, then its last words are told', async () => {
    const server = await fake('echo started >> starts; echo "no space left" >&2; exit 1');
    const { message, remedies } = await failure(server);
    assert.match(message, /status 1\. It did so five times within three minutes.*no space left/s);
    assert.deepEqual(remedies, ['restart', 'log']);
    assert.equal(fs.readFileSync(path.join(folder, 'starts'), 'utf8').split('\n').length, 6);
    assert.deepEqual(phases, ['starting', 'failed']);
  });

  test('refuses its arguments: told at once', async () => {
    const server = await fake('echo started >> starts; echo "unknown flag --x" >&2; exit 2');
    const { message } = await failure(server);
    assert.match(message, /refused to start.*unknown flag --x/s);
    assert.equal(fs.readFileSync(path.join(folder, 'starts'), 'utf8'), 'started\n');
  });

  test('prints something that is not the protocol: named at once', async () => {
    const server = await fake('echo "Hello there"; exec sleep 1000');
    const { message, remedies } = await failure(server);
    assert.match(message, /fake is no language server: it printed “Hello there”/);
    assert.ok(remedies.includes('settings'));
  });

  test('says nothing: given up after a while', async () => {
    const server = await fake('exec sleep 1000', 300);
    const { message } = await failure(server);
    assert.match(message, /did not answer within/);
  });

  test('is stopped while it starts: it is gone at once, and nothing is told', async () => {
    const server = await fake('exec sleep 1000');
    const starting = server.start();
    await until('its process', () => server.pid);
    await server.stop();
    await starting;
    assert.equal(server.phase, 'stopped');
    assert.deepEqual(told, []);
    assert.equal(servers().length, 1);
  });

  test('speaks another protocol: nothing is run', async () => {
    const said =
      '{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"experimental":{"mewcode":{"version":7}}}}}';
    const server = await fake(
      `read line; printf 'Content-Length: ${said.length}\\r\\n\\r\\n%s' '${said}'; exec cat > heard`,
    );
    const { message } = await failure(server);
    assert.match(message, /speaks version 7 .* Update the extension\./);
    const heard = fs.readFileSync(path.join(folder, 'heard'), 'utf8');
    assert.ok(!heard.includes('initialized'), heard);
  });

  test('is not there any more: told at once', async () => {
    const server = await fake('exit 0');
    fs.rmSync(path.join(folder, 'fake'));
    const { message } = await failure(server);
    assert.match(message, /cannot be started: .*ENOENT/);
  });
});
