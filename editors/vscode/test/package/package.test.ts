// The packaged extension: what is in it, and that it works in an unmodified VS Code that has nothing else of MewCode.

import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { after, before, suite, test } from 'node:test';
import { serversOf } from '../harness/processes.ts';
import { edit, read, say } from '../harness/turns.ts';
import { until, Window } from '../harness/window.ts';
import { binary, EXTENSION, Workbench } from '../harness/workbench.ts';
import { Workspace } from '../harness/workspace.ts';
import { entries } from './zip.ts';

const TIMEOUT_MILLISECONDS = 300_000;
/** Of everything but the server. */
const MOST_BYTES = 1_500_000;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mewcode-vsix-'));

function pack(name: string, ...args: string[]): string {
  const out = path.join(folder, name);
  const script = path.join(EXTENSION, 'scripts/package.ts');
  const done = spawnSync(process.execPath, [script, '--out', out, ...args], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  assert.equal(done.stderr, '');
  return out;
}

void suite('the package', () => {
  let bundled: string;

  before(() => {
    bundled = pack('bundled.vsix', '--server', binary(), '--target', `${process.platform}-${process.arch}`);
  });

  after(() => {
    fs.rmSync(folder, { recursive: true });
  });

  void test('has what runs and what is read, and nothing else', () => {
    const plain = entries(pack('plain.vsix'));
    const names = plain.map(({ name }) => name);
    for (const name of ['dist/extension.cjs', 'package.json', 'readme.md', 'LICENSE.txt', 'NOTICES.txt']) {
      assert.ok(names.includes(`extension/${name}`), name);
    }
    const known =
      /^(\[Content_Types\]\.xml|extension\.vsixmanifest|extension\/((dist|media)\/.*|package\.json|readme\.md|LICENSE\.txt|NOTICES\.txt))$/;
    assert.deepEqual(
      names.filter((name) => !known.test(name) || /\.(ts|map)$|tests/.test(name)),
      [],
    );
    const bytes = plain.reduce((sum, entry) => sum + entry.bytes, 0);
    assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);

    const more = entries(bundled).filter(({ name }) => !names.includes(name));
    assert.deepEqual(
      more.map(({ name, mode }) => [name, mode]),
      [['extension/bin/mewcode', 0o755]],
    );
  });

  void test('takes a server only with the system that it is for', () => {
    const script = path.join(EXTENSION, 'scripts/package.ts');
    const done = spawnSync(process.execPath, [script, '--server', binary()], { encoding: 'utf8' });
    assert.notEqual(done.status, 0);
    assert.match(done.stderr, /--server and --target go together/);
  });

  void test(
    'works once it is installed, by keyboard, with its own server',
    { timeout: TIMEOUT_MILLISECONDS },
    async () => {
      const turns = [read('greet.py'), edit('greet.py', 'hi', 'good day'), say('Polite now.')];
      const workspace = new Workspace({ 'greet.py': 'def greet():\n    print("hi")\n' }, turns);
      const searchPath = (process.env['PATH'] ?? '')
        .split(path.delimiter)
        .filter((one) => !fs.existsSync(path.join(one, 'mewcode')))
        .join(path.delimiter);
      const workbench = await Workbench.start({
        vsix: [bundled],
        settings: { 'mewcode.server.path': '' },
        environment: { PATH: searchPath },
      });
      const home = workbench.root;
      const window = new Window(await workbench.open(workspace.root));
      try {
        await window.open('greet.py');
        const server = await until('the server', () => serversOf(home)[0]);
        assert.match(path.relative(home, server.file), /^extensions\/mewcode\.mewcode-[^/]+\/bin\/mewcode$/);
        await window.command('MewCode: Prompt');
        const field = window.page.locator('.quick-input-widget', { hasText: 'Prompt about' });
        await field.waitFor();
        await window.type('be polite');
        await window.press('Enter');
        const lens = window.page.locator('.codelens-decoration', { hasText: 'Accept' });
        await lens.first().waitFor();
        await window.screenshot('package-1-hunk');
        assert.match(workspace.disk('greet.py'), /print\("hi"\)/);
        await window.command('MewCode: Accept All Hunks');
        await until('the text on the disk', () => workspace.disk('greet.py').includes('good day'));
        await window.shows(/good day/);
        await until('the end of the hunk', async () => (await lens.count()) === 0);
        await window.screenshot('package-2-accepted');
      } catch (error) {
        await window.screenshot('failed-package');
        workbench.keepLogs('failed-package');
        throw error;
      } finally {
        await workbench.stop();
        workspace.remove();
      }
      assert.deepEqual(workbench.foreign, [], 'nothing is asked of another host');
      await until('the end of the server', () => serversOf(home).length === 0);
    },
  );
});
