// The two sides of a unified diff.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { textsOf } from '../../src/review/unified.ts';

const table: [what: string, diff: string[], without: string, then: string][] = [
  ['a removal', ['deleted file', '--- a/x', '+++ /dev/null', '@@ -1,2 +0,0 @@', '-a', '-b'], 'a\nb\n', ''],
  [
    'lines that look like the diff’s own',
    ['deleted file', '--- a/x', '+++ /dev/null', '@@ -1,3 +0,0 @@', '--- a/y', '-@@ -1', '-'],
    '-- a/y\n@@ -1\n\n',
    '',
  ],
  ['an empty file', ['deleted file', '--- a/x', '+++ /dev/null'], '', ''],
  ['a move', ['rename from x', 'rename to y'], 'x\n', 'y\n'],
  [
    'a move with a change',
    ['rename from x', 'rename to y', '--- a/x', '+++ b/y', '@@ -4,2 +4,2 @@', ' a', '-b', '+B'],
    'x\n…\na\nb\n',
    'y\n…\na\nB\n',
  ],
];

for (const [what, diff, without, then] of table) {
  void test(`a unified diff in two sides: ${what}`, () => {
    assert.deepEqual(textsOf(`${diff.join('\n')}\n`), { without, with: then });
  });
}
