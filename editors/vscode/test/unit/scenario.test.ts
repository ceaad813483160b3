// A scenario that says what its README does not know is refused: it would be a test that passes by doing nothing.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { readScenario, writtenOut } from '../harness/scenario.ts';

const SCENARIOS = path.resolve(import.meta.dirname, '../../../../tests/e2e/editors');

const WRONG: [unknown, string][] = [
  [{ promise: '', files: {}, turns: [], steps: [{ opne: 'a' }] }, 'a step has no "opne"'],
  [{ promise: '', files: {}, turns: [], steps: [{ expect: { dirt: {} } }] }, 'a state has no "dirt"'],
  [{ promise: '', files: {}, turns: [], steps: [{ open: 'a', save: 'a' }] }, 'a step needs exactly one of'],
  [{ promise: '', files: {}, turns: [], steps: [{}] }, 'a step needs exactly one of'],
  [{ promise: '', files: { a: 1 }, turns: [], steps: [] }, 'scenario.files.a is no lines'],
  [{ promise: '', files: {}, turns: [], steps: [{ stop: 'it' }] }, 'scenario.steps[1].stop is not "run"'],
  [
    { promise: '', files: {}, turns: [], steps: [{ only: { editor: 'vscode', steps: [] } }] },
    'a only needs "because"',
  ],
  [{ promise: '', turns: [], steps: [] }, 'a scenario needs "files"'],
  [[], 'scenario is no scenario'],
];

for (const [value, problem] of WRONG) {
  void test(`refused: ${problem}`, () => {
    assert.throws(
      () => readScenario(JSON.stringify(value)),
      (error: Error) => error.message.includes(problem),
    );
  });
}

void test('every scenario is right', () => {
  const files = fs.readdirSync(SCENARIOS).filter((file) => file.endsWith('.json'));
  assert.ok(files.length > 0);
  for (const file of files) {
    readScenario(fs.readFileSync(path.join(SCENARIOS, file), 'utf8'));
  }
});

void test('a long text is written out', () => {
  assert.equal(
    writtenOut({ lines: 3, line: 'line {n}', except: { '2': 'other' } }),
    'line 1\nother\nline 3\n',
  );
});
