// Runs the tests of test/host inside the real VS Code, in its extension host, and tells their results. The extension and they
// come from dist/, built with --tests.
//
//   node test/host.ts [PATTERN]     only tests whose full title has this

import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EXTENSION, KEPT, Workbench } from './harness/workbench.ts';
import { Workspace } from './harness/workspace.ts';

const PATIENCE_MILLISECONDS = 15 * 60_000;

interface Result {
  title: string;
  milliseconds: number;
  error?: string;
}

const workspace = new Workspace();
const results = path.join(workspace.root, '.results.jsonl');
const workbench = await Workbench.start({
  testDriver: true,
  environment: {
    MEWCODE_TEST_RESULTS: results,
    MEWCODE_TEST_ONLY: process.argv[2] ?? '',
  },
});
/** What came of each test so far. */
const told: Result[] = [];

/** Prints what the tests have written since. */
function tellNews(): void {
  const written = fs.existsSync(results) ? fs.readFileSync(results, 'utf8') : '';
  // The last piece is empty, or a line that is being written.
  for (const line of written.split('\n').slice(told.length, -1)) {
    const result = JSON.parse(line) as Result;
    told.push(result);
    const { title, milliseconds, error } = result;
    console.log(error === undefined ? `ok   ${title} (${milliseconds} ms)` : `FAIL ${title}\n${error}`);
  }
}

let failed: number;
try {
  const page = await workbench.page();
  const ended = new Promise<number>((resolve) => {
    // The workbench calls this when the tests have ended.
    void page.exposeFunction('codeAutomationExit', resolve);
  });
  await page.goto(
    workbench.address(workspace.root, [
      ['extensionDevelopmentPath', workbench.remote(EXTENSION)],
      ['extensionTestsPath', workbench.remote(path.join(EXTENSION, 'dist/host-tests.cjs'))],
    ]),
  );
  const late = pause(PATIENCE_MILLISECONDS, 'time-out' as const, { ref: false });
  let code: number | 'time-out' | undefined;
  do {
    code = await Promise.race([ended, late, pause(200, undefined)]);
    tellNews();
  } while (code === undefined);
  const bad = told.filter((one) => one.error !== undefined).length;
  failed = code === 0 && told.length > 0 ? bad : Math.max(bad, 1);
  if (failed > 0) {
    fs.mkdirSync(KEPT, { recursive: true });
    await page.screenshot({ path: path.join(KEPT, 'host.png') });
    workbench.keepLogs('host');
    console.log(`ended with ${code}; a screenshot and logs are in ${KEPT}`);
  }
  console.log(`${told.length - bad} passed, ${failed} failed`);
} finally {
  await workbench.stop();
  workspace.remove();
}
process.exitCode = failed === 0 ? 0 : 1;
