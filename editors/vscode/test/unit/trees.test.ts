// The rows of hunks and sessions.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hunk, SessionEntry } from '../../src/protocol.ts';
import { hunkNodes } from '../../src/views/hunk-tree.ts';
import { sessionNodes } from '../../src/views/session-tree.ts';

const HUNK: Hunk = {
  id: 'h1',
  proposal: 'p1',
  session: 's',
  call: 'c',
  tool: 'edit_file',
  reason: 'to be polite',
  review: 'before',
  state: 'proposed',
  startLine: 2,
  endLine: 3,
  oldLines: ['  print("hi")'],
  newLines: ['', '  print("good day")'],
  added: 2,
  removed: 1,
};

void test('hunks by file', () => {
  const conflicted: Hunk = { ...HUNK, id: 'h2', state: 'conflicted', newLines: [] };
  const removal: Hunk = { ...HUNK, id: 'h3', file: 'remove', title: 'Remove this file (−42)', reason: '' };
  const addition: Hunk = { ...HUNK, id: 'h4', startLine: 7, endLine: 7, oldLines: [], removed: 0 };
  const files = [
    { uri: 'file:///w/a.py', path: 'a.py', hunks: [HUNK, conflicted, addition] },
    { uri: 'file:///w/b.py', path: 'b.py', hunks: [removal] },
  ];
  const rows = hunkNodes(files).map((file) => [
    `${file.label} (${file.description ?? ''})`,
    ...(file.children ?? []).map((row) => `${row.label} | ${row.description ?? ''} | ${row.context ?? ''}`),
  ]);
  assert.deepEqual(rows, [
    [
      'a.py (3 hunks)',
      '3: print("good day") | +2 −1 · to be polite | hunk',
      '3: print("hi") | +2 −1 · conflict · to be polite | hunk-conflicted',
      '7: print("good day") | +2 −0 · to be polite | hunk',
    ],
    ['b.py (1 hunk)', 'Remove this file (−42) |  | hunk'],
  ]);
  const [file] = hunkNodes(files);
  assert.equal(file?.uri, 'file:///w/a.py');
  assert.deepEqual(file.children?.[0]?.command, { command: 'mew.openHunk', argument: { hunk: 'h1' } });
  assert.equal(file.children[0].hunk, 'h1');
});

void test('the tooltip of a hunk shows its lines, and says what is missing', () => {
  const newLines = Array.from({ length: 20 }, (_, index) => `${index}\u202e`);
  const [file] = hunkNodes([{ uri: 'file:///w/a.py', path: 'a.py', hunks: [{ ...HUNK, newLines }] }]);
  const tooltip = file?.children?.[0]?.tooltip ?? '';
  assert.ok(tooltip.includes('\n−   print("hi")\n'), tooltip);
  assert.ok(tooltip.includes('+ 3⟨U+202E⟩'), tooltip);
  assert.ok(tooltip.endsWith('… (9 more lines)'), tooltip);
});

void test('sessions', () => {
  const session: SessionEntry = {
    session: 's1',
    title: '',
    running: false,
    mode: 'default',
    started: 0,
    current: true,
  };
  const other = { ...session, session: 's2', title: 'fix it', running: true, current: false };
  const rows = sessionNodes([session, other]).map(
    (row) => `${row.label} | ${row.description ?? ''} | ${row.context ?? ''} | ${row.icon ?? ''}`,
  );
  assert.deepEqual(rows, [
    'No prompt yet | current · default | session | circle-filled',
    'fix it | running · default | session-running | loading~spin',
  ]);
});
