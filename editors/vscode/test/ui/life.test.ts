// The life of the server as a person meets it: a workspace that is not trusted, a server that is not found, a window that is
// loaded again, one without a folder, one with several.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { after, before, suite, test } from 'node:test';
import { serversOf } from '../harness/processes.ts';
import { edit, read, say } from '../harness/turns.ts';
import { until, Window } from '../harness/window.ts';
import { binary, EXTENSION, Workbench } from '../harness/workbench.ts';
import { Workspace } from '../harness/workspace.ts';

const TIMEOUT_MILLISECONDS = 240_000;
const WRONG = '/nowhere/mewcode';

void suite('the life of the server', { timeout: TIMEOUT_MILLISECONDS }, () => {
  let workbench: Workbench;
  let workspace: Workspace;

  before(async () => {
    workspace = new Workspace({ 'greet.py': 'print("hi")\n' });
    workbench = await Workbench.start({
      unpacked: [EXTENSION],
      trust: true,
      settings: {
        'security.workspace.trust.startupPrompt': 'never',
        'security.workspace.trust.banner': 'never',
        'mewcode.server.path': WRONG,
      },
    });
  });

  after(async () => {
    await workbench.stop();
    workspace.remove();
    assert.deepEqual(workbench.foreign, [], 'nothing is asked of another host');
    await until('the end of every server', () => serversOf(workbench.root).length === 0);
  });

  function setPath(file: string): void {
    const settings = path.join(workbench.root, 'data/Machine/settings.json');
    fs.writeFileSync(settings, JSON.stringify({ 'mewcode.server.path': file }));
  }

  function servers(): number[] {
    return serversOf(workbench.root).map(({ pid }) => pid);
  }

  async function keeping(name: string, window: Window, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      await window.screenshot(`failed-life-${name}`);
      workbench.keepLogs(`failed-life-${name}`);
      throw error;
    }
  }

  void test('not trusted, nothing is started; not found, it is said; set right, it runs; loaded again, there is one', async () => {
    const window = new Window(await workbench.open(workspace.root));
    const { page } = window;
    await keeping('trust', window, async () => {
      await window.open('greet.py');
      const item = page.locator('.statusbar-item', { hasText: 'MewCode' }).first();
      await item.waitFor();
      await window.command('MewCode: Restart the Server');
      await item.filter({ hasText: 'not started' }).waitFor();
      assert.deepEqual(servers(), []);
      await window.screenshot('life-1-not-trusted');

      await window.command('Workspaces: Manage Workspace Trust');
      await page.locator('.workspace-trust-editor').waitFor();
      await window.press('Control+Enter');
      const toast = page.locator('.notifications-toasts .notification-list-item', { hasText: WRONG });
      await toast.waitFor();
      for (const button of ['Open Settings', 'Get Started']) {
        await toast.locator('.monaco-button', { hasText: button }).waitFor();
      }
      await window.screenshot('life-2-not-found');
      assert.deepEqual(servers(), []);

      setPath(binary());
      const [first] = await until('the server', () => (servers().length === 1 ? servers() : undefined));
      await page.reload();
      await page.locator('.monaco-workbench .statusbar').waitFor();
      await until('another server, and no more than that', () => {
        const there = servers();
        return there.length === 1 && there[0] !== first;
      });
      await window.screenshot('life-3-loaded-again');
    });
    await window.close();
  });

  void test('without a folder it does not take the home folder for its workspace', async () => {
    setPath(binary());
    const before = servers();
    const page = await workbench.page();
    await page.goto(`${workbench.url}/?ew=true`);
    const window = new Window(page);
    await keeping('empty', window, async () => {
      const server = await until('the server', () => servers().find((pid) => !before.includes(pid)));
      const folder = fs.readlinkSync(`/proc/${server}/cwd`);
      assert.match(folder, /no-folder$/);
      assert.deepEqual(fs.readdirSync(folder), []);
    });
    await window.close();
  });
});

void test(
  'several folders, and one that comes while it runs, are its workspace',
  { timeout: TIMEOUT_MILLISECONDS },
  async () => {
    const places = ['first', 'second', 'third'];
    const whole = new Workspace(
      Object.fromEntries(places.map((place) => [`${place}/greet.py`, 'print("hi")\n'])),
    );
    const of = (place: string): string => whole.path(`${place}/greet.py`);
    const turns = places
      .slice(1)
      .flatMap((place) => [read(of(place)), edit(of(place), 'hi', `good day, ${place}`)]);
    whole.write('first/.mewcode.yaml', 'script: turns.yaml\n');
    whole.write('first/turns.yaml', JSON.stringify({ turns: [...turns, say('Done.')] }));
    const fill = (count: number): void => {
      const folders = places.slice(0, count).map((place) => ({ path: place }));
      whole.write('all.code-workspace', JSON.stringify({ folders }));
    };
    fill(2);
    const workbench = await Workbench.start({ unpacked: [EXTENSION] });
    const page = await workbench.page();
    const window = new Window(page);
    try {
      await page.goto(`${workbench.url}/?workspace=${encodeURIComponent(whole.path('all.code-workspace'))}`);
      await page.locator('.monaco-workbench .statusbar').waitFor();
      await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'second' }).waitFor();
      const server = await until('the server', () => serversOf(workbench.root)[0]?.pid);
      fill(3);
      await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'third' }).waitFor();
      await window.prompt('be polite everywhere');
      await window.command('View: Show MewCode');
      for (const place of places.slice(1)) {
        // The row of this very hunk: that of the place before may stand there still.
        await page.locator('.pane-body .monaco-list-row', { hasText: `good day, ${place}` }).waitFor();
        await window.command('MewCode: Accept All Hunks');
        await until(`the text in ${place}`, () =>
          whole.disk(`${place}/greet.py`).includes(`good day, ${place}`),
        );
      }
      await window.screenshot('life-4-several-folders');
      assert.deepEqual(
        serversOf(workbench.root).map(({ pid }) => pid),
        [server],
      );
    } catch (error) {
      await window.screenshot('failed-life-folders');
      workbench.keepLogs('failed-life-folders');
      throw error;
    } finally {
      await workbench.stop();
      whole.remove();
    }
  },
);
