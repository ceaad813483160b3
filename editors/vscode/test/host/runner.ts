// Runs Mocha inside the extension host and writes what came of each test where test/host.ts looks for it. When all tests run, each
// command of the manifest must have been executed by one.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import Mocha from 'mocha';
import * as vscode from 'vscode';

/** Several things are waited for in most tests, each as long as `until` does at the most. */
const TIMEOUT_MILLISECONDS = 240_000;

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
  if (only === '') {
    Mocha.Suite.create(mocha.suite, 'manifest').addTest(everyCommand());
  }
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

/** The last test: it has seen what the others executed. */
function everyCommand(): Mocha.Test {
  const executed = new Set<string>();
  const { commands } = vscode;
  const execute = commands.executeCommand;
  const watch = <Result>(id: string, ...given: unknown[]): Thenable<Result> => {
    executed.add(id);
    return execute<Result>(id, ...given);
  };
  Object.assign(commands, { executeCommand: watch });
  return new Mocha.Test('has no command that no test executes', () => {
    const extension = vscode.extensions.getExtension('mewcode.mewcode');
    const { contributes } = extension?.packageJSON as { contributes: { commands: { command: string }[] } };
    const ids = contributes.commands.map(({ command }) => command);
    assert.deepEqual(
      ids.filter((id) => !executed.has(id)),
      [],
    );
  });
}
