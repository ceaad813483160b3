// Which hunk is at a line, and which comes next.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { hunkAt, inOrder, seenAt, step, type From } from '../../src/review/order.ts';
import { at } from './hunk.ts';

void test('a hunk is seen at its first line, a missing one at the line above', () => {
  assert.deepEqual(
    [seenAt({ first: 3, last: 5 }), seenAt({ first: 3, last: 3 }), seenAt({ first: 0, last: 0 })],
    [3, 2, 0],
  );
});

void test('the hunk at a line', () => {
  const all = [
    at(2, 8, { id: 'outer' }),
    at(4, 5, { id: 'inner' }),
    at(10, 10, { id: 'insertion' }),
    at(20, 21, { id: 'last' }),
  ];
  const table: [line: number, id: string | undefined][] = [
    [1, undefined],
    [2, 'outer'],
    [4, 'inner'],
    [7, 'outer'],
    [8, undefined],
    [9, 'insertion'],
    [10, 'insertion'],
    [11, undefined],
    [20, 'last'],
  ];
  for (const [line, id] of table) {
    assert.equal(hunkAt(all, line)?.hunk.id, id, `line ${line}`);
  }
});

void test('a hunk about the whole file is at every line that no other has', () => {
  const whole = at(0, 3, { id: 'whole', file: 'remove' });
  assert.equal(hunkAt([whole], 99)?.hunk.id, 'whole');
  assert.equal(hunkAt([whole, at(1, 2, { id: 'line' })], 1)?.hunk.id, 'line');
});

const stops = inOrder([
  { uri: 'file:///b', placed: at(1, 2, { id: 'b1' }) },
  { uri: 'file:///a', placed: at(7, 8, { id: 'a2' }) },
  { uri: 'file:///a', placed: at(3, 4, { id: 'a1' }) },
  { uri: 'file:///d', placed: at(0, 0, { id: 'd1' }) },
]);

void test('by document, then by line', () => {
  assert.deepEqual(
    stops.map(({ placed }) => placed.hunk.id),
    ['a1', 'a2', 'b1', 'd1'],
  );
});

const table: [what: string, from: From | undefined, next: string, previous: string][] = [
  ['no editor', undefined, 'a1', 'd1'],
  ['above the first', { uri: 'file:///a', line: 0 }, 'a1', 'd1'],
  ['on one', { uri: 'file:///a', line: 3 }, 'a2', 'd1'],
  ['between two', { uri: 'file:///a', line: 5 }, 'a2', 'a1'],
  ['below the last of a document', { uri: 'file:///a', line: 9 }, 'b1', 'a2'],
  ['in a document without any', { uri: 'file:///c', line: 9 }, 'd1', 'b1'],
  ['behind all', { uri: 'file:///e', line: 0 }, 'a1', 'd1'],
  ['brought there before', { uri: 'file:///a', line: 7, hunk: 'a2' }, 'b1', 'a1'],
];
for (const [what, from, next, previous] of table) {
  void test(`next and previous: ${what}`, () => {
    const id = (direction: 1 | -1) => stops[step(stops, from, direction)]?.placed.hunk.id;
    assert.deepEqual([id(1), id(-1)], [next, previous]);
  });
}

void test('two hunks seen at one line are both reached', () => {
  const two = inOrder([
    { uri: 'file:///a', placed: at(3, 4, { id: 'line' }) },
    { uri: 'file:///a', placed: at(4, 4, { id: 'insertion' }) },
  ]);
  const from = { uri: 'file:///a', line: 3, hunk: 'line' };
  assert.equal(two[step(two, from, 1)]?.placed.hunk.id, 'insertion');
});

void test('nothing to go to', () => {
  assert.equal(step([], undefined, 1), -1);
});
