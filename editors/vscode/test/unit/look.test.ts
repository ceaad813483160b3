// What is to be seen of a hunk.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hunk } from '../../src/protocol.ts';
import { diffText, lookOf, whatOf } from '../../src/review/look.ts';
import { at, hunk } from './hunk.ts';

interface Row {
  what: string;
  hunk: Partial<Hunk>;
  lines: [number, number];
  mark: string | undefined;
  sign: string;
  drawn: [number, number];
  label?: string;
  block?: string[];
}

const table: Row[] = [
  {
    what: 'a change that is proposed',
    hunk: { oldLines: ['a', 'b'], newLines: ['A'] },
    lines: [2, 4],
    mark: 'removed',
    sign: 'change',
    drawn: [2, 4],
    label: 'MewCode would write instead:',
    block: ['A'],
  },
  {
    what: 'lines that would be added',
    hunk: { oldLines: [], newLines: ['A'] },
    lines: [2, 2],
    mark: undefined,
    sign: 'add',
    drawn: [1, 2],
    label: 'MewCode would add here:',
    block: ['A'],
  },
  {
    what: 'lines that would be added behind the last',
    hunk: { oldLines: [], newLines: ['A'] },
    lines: [10, 10],
    mark: undefined,
    sign: 'add',
    drawn: [9, 10],
    label: 'MewCode would add here:',
    block: ['A'],
  },
  {
    what: 'lines that would go',
    hunk: { oldLines: ['a'], newLines: [] },
    lines: [2, 3],
    mark: 'removed',
    sign: 'remove',
    drawn: [2, 3],
  },
  {
    what: 'a new file, whose empty document has a line',
    hunk: { oldLines: [], newLines: ['A'] },
    lines: [0, 1],
    mark: undefined,
    sign: 'add',
    drawn: [0, 1],
    label: 'MewCode would add here:',
    block: ['A'],
  },
  {
    what: 'a change that landed',
    hunk: { state: 'applied', oldLines: ['a'], newLines: ['A', 'B'] },
    lines: [2, 4],
    mark: 'added',
    sign: 'change',
    drawn: [2, 4],
    label: 'MewCode put this in place of:',
    block: ['a'],
  },
  {
    what: 'lines that came',
    hunk: { state: 'applied', oldLines: [], newLines: ['A'] },
    lines: [2, 3],
    mark: 'added',
    sign: 'add',
    drawn: [2, 3],
  },
  {
    what: 'lines that went',
    hunk: { state: 'applied', oldLines: ['a'], newLines: [] },
    lines: [2, 2],
    mark: undefined,
    sign: 'remove',
    drawn: [1, 2],
    label: 'MewCode removed here:',
    block: ['a'],
  },
  {
    what: 'a conflict',
    hunk: { state: 'conflicted', oldLines: ['a'], newLines: ['A'] },
    lines: [2, 3],
    mark: 'conflict',
    sign: 'conflict',
    drawn: [2, 3],
    label: 'You changed this too. MewCode would write:',
    block: ['A'],
  },
  {
    what: 'a conflict about lines that are gone',
    hunk: { state: 'conflicted', oldLines: ['a'], newLines: ['A'] },
    lines: [2, 2],
    mark: undefined,
    sign: 'conflict',
    drawn: [1, 2],
    label: 'You changed this too. MewCode would write:',
    block: ['A'],
  },
  {
    what: 'the removal of a file',
    hunk: { file: 'remove', title: 'Remove this file (−3)', oldLines: [], newLines: [] },
    lines: [0, 3],
    mark: 'removed',
    sign: 'remove',
    drawn: [0, 3],
    label: 'Remove this file (−3)?',
    block: [],
  },
  {
    what: 'a move that happened',
    hunk: { file: 'move', state: 'applied', title: 'Moved from a.rs', oldLines: [], newLines: [] },
    lines: [0, 3],
    mark: undefined,
    sign: 'change',
    drawn: [0, 1],
    label: 'Moved from a.rs',
    block: [],
  },
  {
    what: 'lines of a text that is longer than the document is now',
    hunk: {},
    lines: [8, 12],
    mark: 'removed',
    sign: 'change',
    drawn: [8, 10],
    label: 'MewCode would write instead:',
    block: ['new'],
  },
];

for (const row of table) {
  void test(`look: ${row.what}`, () => {
    const look = lookOf(at(...row.lines, row.hunk), 10);
    assert.deepEqual(
      {
        mark: look.mark,
        sign: look.sign,
        drawn: [look.first, look.last],
        label: look.block?.label,
        block: look.block?.lines,
      },
      { mark: row.mark, sign: row.sign, drawn: row.drawn, label: row.label, block: row.block },
    );
  });
}

void test('a long other side is shortened and says so', () => {
  const newLines = Array.from({ length: 100 }, (_, index) => (index === 0 ? 'x'.repeat(1000) : `${index}`));
  const block = lookOf(at(0, 1, { newLines }), 10).block;
  assert.ok(block);
  assert.equal(block.lines.length, 60);
  assert.equal(block.missing, 40);
  assert.equal(block.lines[0], `${'x'.repeat(400)}…`);
});

void test('a hunk as a diff', () => {
  assert.equal(diffText(hunk({ oldLines: ['a', ''], newLines: ['A'] })), '-a\n-\n+A');
});

void test('a hunk in words', () => {
  assert.equal(whatOf(hunk()), '+1 −1');
  assert.equal(whatOf(hunk({ state: 'conflicted' })), '+1 −1, conflict');
  assert.equal(whatOf(hunk({ file: 'remove', title: 'Remove this file' })), 'Remove this file');
});
