// Finding files by a few letters, among many.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { best } from '../../src/prompt/fuzzy.ts';
import { History } from '../../src/prompt/history.ts';
import { matching } from '../../src/prompt/rows.ts';
import { effort } from './effort.ts';

function found(query: string, ...paths: string[]): string[] {
  return best(
    query,
    paths.map((path) => ({ lower: path.toLowerCase(), value: path })),
    10,
  );
}

void test('the file’s own name counts before its folders, its beginning most', () => {
  assert.deepEqual(found('gre', 'green/a.py', 'agree.py', 'src/greet.py', 'x.py'), [
    'src/greet.py',
    'agree.py',
    'green/a.py',
  ]);
  assert.deepEqual(found('sgr', 'src/greet.py', 'x/y.py'), ['src/greet.py']);
  assert.deepEqual(found('README', 'docs/readme.md'), ['docs/readme.md']);
  assert.deepEqual(found('zz', 'a.py'), []);
  assert.deepEqual(found('src/a', 'src/b/a.py', 'src/a.py'), ['src/a.py', 'src/b/a.py']);
});

void test('without letters, and among equals, the given order stays', () => {
  assert.deepEqual(found('', 'b', 'a'), ['b', 'a']);
  assert.deepEqual(found('x', 'x2', 'x1'), ['x2', 'x1']);
});

void test('a hundred thousand files take no time to speak of', () => {
  const files = Array.from({ length: 100_000 }, (_, index) => {
    const path = `packages/module-${index % 97}/src/component-${index}.ts`;
    return { lower: path, value: path };
  });
  const milliseconds = effort(() => {
    assert.equal(best('component-99999', files, 50)[0], 'packages/module-89/src/component-99999.ts');
    best('mdsrccmp9', files, 50);
    best('c', files, 50);
  });
  assert.ok(milliseconds < 1500, `${milliseconds} ms`);
});

void test('prompts are kept once each, the newest first, and words that were not sent', async () => {
  const kept = new Map<string, unknown>();
  const history = new History({
    get: (key) => kept.get(key),
    update: (key, value) => Promise.resolve(void kept.set(key, value)),
  });
  assert.deepEqual(history.sent, []);
  for (const text of ['a', 'b', 'a']) {
    await history.add(text);
  }
  assert.deepEqual(history.sent, ['a', 'b']);
  await history.add('x'.repeat(20_000));
  assert.deepEqual(history.sent, ['a', 'b']);
  for (let count = 0; count < 200; count++) {
    await history.add(String(count));
  }
  assert.equal(history.sent.length, 100);
  assert.equal(history.draft, '');
  await history.keep('half a');
  assert.equal(history.draft, 'half a');
  kept.set('mewcode.prompts', 'damaged');
  kept.set('mewcode.draft', 3);
  assert.deepEqual([history.sent, history.draft], [[], '']);
});

void test('earlier prompts that begin so come first', () => {
  assert.deepEqual(matching('be', ['maybe', 'be polite', 'x', 'be']), ['be polite', 'maybe']);
  assert.deepEqual(matching('', ['b', 'a']), ['b', 'a']);
});
