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
  const results = process.env['MEWCODE_TEST_RESULTS'] ?? '';
  const tell = (test: Mocha.Test, error?: Error) => {
    const { duration = 0 } = test;
    const result = { title: test.fullTitle(), milliseconds: duration, error: error?.stack };
    fs.appendFileSync(results, `${JSON.stringify(result)}\n`);
  };
  const failures = await new Promise<number>((resolve) => {
    mocha.run(resolve).on('pass', tell).on('fail', tell);
  });
  if (failures > 0) {
    throw new Error(`${failures} tests failed`);
  }
}
