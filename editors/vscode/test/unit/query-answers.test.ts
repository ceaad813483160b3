import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounded, diagnosticOf, hoverText, locationsOf, short, worst } from '../../src/query/answers.ts';

const range = (line: number): { start: { line: number } } => ({ start: { line } });

test('a diagnostic is told with its source and code', () => {
  const plain = { range: range(3), severity: 0, message: 'wrong' };
  assert.deepEqual(diagnosticOf(plain), { line: 3, severity: 1, message: 'wrong' });
  for (const code of ['E1', { value: 'E1' }]) {
    assert.deepEqual(diagnosticOf({ ...plain, source: 'lint', code }), {
      line: 3,
      severity: 1,
      message: 'wrong',
      source: 'lint',
      code: 'E1',
    });
  }
  assert.equal(diagnosticOf({ ...plain, code: 7 }).code, '7');
});

test('of too many diagnostics the worst are told', () => {
  const one = (severity: number, message: string): { line: number; severity: number; message: string } => ({
    line: 0,
    severity,
    message,
  });
  const documents = [
    { uri: 'a', diagnostics: [one(4, 'hint'), one(2, 'warning')] },
    { uri: 'b', diagnostics: [one(1, 'error')] },
  ];
  assert.deepEqual(worst(documents, 2), {
    diagnostics: [
      { uri: 'b', diagnostics: [one(1, 'error')] },
      { uri: 'a', diagnostics: [one(2, 'warning')] },
    ],
    leftOut: 1,
  });
  assert.deepEqual(worst([{ uri: 'a', diagnostics: [] }], 2), { diagnostics: [], leftOut: 0 });
});

test('places are told once, links by what they point at', () => {
  assert.deepEqual(
    locationsOf([
      { uri: 'file:///a', range: range(1) },
      { uri: 'file:///a', range: range(1) },
      { targetUri: 'file:///b', targetRange: range(4), targetSelectionRange: range(5) },
      { targetUri: 'file:///b', targetRange: range(4) },
    ]),
    [
      { uri: 'file:///a', line: 1 },
      { uri: 'file:///b', line: 5 },
      { uri: 'file:///b', line: 4 },
    ],
  );
});

test('a hover is Markdown', () => {
  const contents = [{ language: 'python', value: 'price: int' }, ' ', { value: 'The price.' }, 'More.'];
  assert.equal(hoverText(contents), '```python\nprice: int\n```\n\nThe price.\n\nMore.');
});

test('nothing is sent that has no end', () => {
  assert.equal(short('ab'), 'ab');
  const text = short(`${'x'.repeat(31_999)}😀😀`);
  assert.equal(text, `${'x'.repeat(31_999)}…`, 'and no character is cut');
  assert.deepEqual(bounded([1, 2, 3], 2), { shown: [1, 2], leftOut: 1 });
});
