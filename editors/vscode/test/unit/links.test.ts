// Where a transcript's links lead, and where they do not.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { linksIn, parseTarget, pathsIn } from '../../src/transcript/links.ts';

void test('files with and without lines, and pages of the web', () => {
  const file = (path: string, line?: number, column?: number): object => ({
    kind: 'file',
    path,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  });
  for (const [written, expected] of [
    ['src/a.ts', file('src/a.ts')],
    ['a.ts:12', file('a.ts', 12)],
    ['src/a.ts:12-20', file('src/a.ts', 12)],
    ['src/a.ts:12:4', file('src/a.ts', 12, 4)],
    ['src/a.ts#L12', file('src/a.ts', 12)],
    ['src/a.ts#L12-L20', file('src/a.ts', 12)],
    ['/w/a%20b.ts', file('/w/a b.ts')],
    ['file:///w/a.ts#L3', file('/w/a.ts', 3)],
    ['Makefile', file('Makefile')],
    ['a.ts:0', file('a.ts')],
    ['https://x.org/a?b#c', { kind: 'web', url: 'https://x.org/a?b#c' }],
  ] as const) {
    assert.deepEqual(parseTarget(written), expected, written);
  }
});

void test('nothing else is a link', () => {
  for (const written of [
    '',
    'command:workbench.action.quit',
    'COMMAND:x',
    'javascript:alert(1)',
    'data:text/html,x',
    'vscode://x/y',
    'vscode-webview://x',
    'mailto:a@b',
    '//host/share',
    'file://host/share',
    '\\\\host\\share',
    'https:',
    'https:///x',
    'a\nb',
    'a%00b',
    'java%73cript:alert(1)',
    '#L3',
    'x'.repeat(2000),
  ]) {
    assert.equal(parseTarget(written), undefined, written);
  }
});

void test('what in a piece of code may name a file', () => {
  const found = (code: string): string[] => pathsIn(code).map(({ start, end }) => code.slice(start, end));
  assert.deepEqual(found('read_file greet.py'), ['greet.py']);
  assert.deepEqual(found('bash cat src/a.ts:3-9, ./b/c'), ['src/a.ts:3-9', './b/c']);
  assert.deepEqual(found('Makefile'), []);
  assert.deepEqual(found('a@b.org or https://x.org/y.html'), []);
  assert.deepEqual(found('version 1.2.3'), []);
});

void test('the links of a text have their places', () => {
  const text =
    'See [a](src/a.ts#L2), `b.ts:3` and [no](command:x).\n\n```diff\n--- /dev/null\n+++ c d.ts\n```\n';
  const links = linksIn(text, 10).map(({ start, end }) => text.slice(start, end));
  assert.deepEqual(links, ['src/a.ts#L2', 'b.ts:3', 'c d.ts']);
  assert.equal(linksIn(text, 1).length, 1);
});
