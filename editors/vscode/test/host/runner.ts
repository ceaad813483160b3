// Runs Mocha inside the extension host and writes what came of each test where test/host.ts looks for it.

import * as fs from 'node:fs';
import Mocha from 'mocha';

const TIMEOUT_MILLISECONDS = 60_000;

export async function runTests(load: () => void): Promise<void> {
  const only = process.env['MEWCODE_TEST_ONLY'] ?? '';
  const mocha = new Mocha({
    ui: 'tdd',
    timeout: TIMEOUT_MILLISECONDS,
    reporter: 'min',
    forbidOnly: true,
    ...(only === '' ? {} : { fgrep: only }),
  });
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  load();
  const results: object[] = [];
  const failures = await new Promise<number>((resolve) => {
    mocha
      .run(resolve)
      .on('pass', (test) => {
        results.push({ title: test.fullTitle(), milliseconds: test.duration });
      })
      .on('fail', (test, error: Error) => {
        results.push({ title: test.fullTitle(), milliseconds: test.duration, error: error.stack });
      });
  });
  fs.writeFileSync(process.env['MEWCODE_TEST_RESULTS'] ?? '', JSON.stringify(results));
  if (failures > 0) {
    throw new Error(`${failures} tests failed`);
  }
}
