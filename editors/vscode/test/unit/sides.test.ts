// The two texts of a side-by-side diff.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Placed } from '../../src/review/order.ts';
import { sidesOf } from '../../src/review/sides.ts';
import { at } from './hunk.ts';

const proposed = at(1, 2, { id: 'p', oldLines: ['b'], newLines: ['B', 'BB'] });
const applied = at(3, 4, { id: 'a', state: 'applied', oldLines: ['was', 'here'], newLines: ['d'] });

const table: [what: string, text: string, chosen: Placed[], without: string, then: string][] = [
  ['what waits', 'a\nb\nc\nd\n', [proposed], 'a\nb\nc\nd\n', 'a\nB\nBB\nc\nd\n'],
  ['what landed', 'a\nb\nc\nd\n', [applied], 'a\nb\nc\nwas\nhere\n', 'a\nb\nc\nd\n'],
  ['both', 'a\nb\nc\nd\n', [applied, proposed], 'a\nb\nc\nwas\nhere\n', 'a\nB\nBB\nc\nd\n'],
  ['lines added', 'a\nb\n', [at(1, 1, { oldLines: [], newLines: ['x'] })], 'a\nb\n', 'a\nx\nb\n'],
  ['lines added at the end', 'a\n', [at(1, 1, { oldLines: [], newLines: ['x'] })], 'a\n', 'a\nx\n'],
  ['lines taken away', 'a\nb\n', [at(0, 1, { oldLines: ['a'], newLines: [] })], 'a\nb\n', 'b\n'],
  ['no final newline', 'a\nb', [at(1, 2, { oldLines: ['b'], newLines: ['B'] })], 'a\nb', 'a\nB'],
  ['CRLF', 'a\r\nb\r\n', [at(1, 2, { oldLines: ['b'], newLines: ['B'] })], 'a\nb\n', 'a\nB\n'],
  ['a new file', '', [at(0, 1, { oldLines: [], newLines: ['x', 'y'] })], '', 'x\ny\n'],
  ['a removal', 'a\nb\n', [at(0, 2, { file: 'remove', oldLines: [], newLines: [] })], 'a\nb\n', ''],
  [
    'what overlaps another is left',
    'a\nmine\nc\n',
    [at(1, 2, { id: '1', newLines: ['B'] }), at(1, 2, { id: '2', newLines: ['C'] })],
    'a\nmine\nc\n',
    'a\nB\nc\n',
  ],
  ['nothing', 'a\n', [], 'a\n', 'a\n'],
];

for (const [what, text, chosen, without, then] of table) {
  void test(`sides: ${what}`, () => {
    const sides = sidesOf(text, chosen);
    assert.deepEqual([sides.without.text, sides.with.text], [without, then]);
  });
}

void test('where the hunks stand on each side', () => {
  const sides = sidesOf('a\nb\nc\nd\n', [applied, proposed]);
  assert.deepEqual(Object.fromEntries(sides.without.places), {
    p: { first: 1, last: 2 },
    a: { first: 3, last: 5 },
  });
  assert.deepEqual(Object.fromEntries(sides.with.places), {
    p: { first: 1, last: 3 },
    a: { first: 4, last: 5 },
  });
});
