// The one workbench of these tests, started by the first that needs it, with a folder and a window for each test.

import * as assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Window } from '../harness/window.ts';
import { EXTENSION, Workbench } from '../harness/workbench.ts';
import { Workspace, type Files, type Turn } from '../harness/workspace.ts';

const TIMEOUT_MILLISECONDS = 180_000;

let workbench: Promise<Workbench> | undefined;

/** The workbench, with the extension as it is built. */
export function stage(): Promise<Workbench> {
  workbench ??= Workbench.start({ unpacked: [EXTENSION] });
  return workbench;
}

after(async () => {
  const started = await workbench;
  await started?.stop();
  assert.deepEqual(started?.foreign ?? [], [], 'nothing is asked of another host');
});

/** A test with a window on a folder of its own. What the window shows when it fails is kept. */
export function scene(
  name: string,
  files: Files,
  turns: readonly Turn[],
  act: (window: Window, workspace: Workspace) => Promise<void>,
): void {
  void test(name, { timeout: TIMEOUT_MILLISECONDS }, async () => {
    const workspace = new Workspace(files, turns);
    const started = await stage();
    const window = new Window(await started.open(workspace.root));
    try {
      await act(window, workspace);
    } catch (error) {
      const kept = `failed ${name}`.replace(/[^a-z0-9]+/gi, '-');
      for (const [index, page] of window.page.context().pages().entries()) {
        await new Window(page).screenshot(`${kept}-${index}`);
      }
      started.keepLogs(kept);
      throw error;
    } finally {
      await window.close();
      workspace.remove();
    }
  });
}
