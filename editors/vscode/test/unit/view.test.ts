// What is edited elsewhere does not move the text under eyes and hands.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TextEdit } from 'vscode-languageclient';
import { shift, spare } from '../../src/text/view.ts';

function edit(
  line: number,
  character: number,
  endLine: number,
  endCharacter: number,
  newText: string,
): TextEdit {
  return { range: { start: { line, character }, end: { line: endLine, character: endCharacter } }, newText };
}

test('only lines above the top count', () => {
  for (const [edits, expected] of [
    [[], 0],
    [[edit(0, 0, 0, 0, 'a\nb\n')], 2],
    [[edit(0, 3, 4, 1, 'x')], -4],
    [[edit(0, 3, 0, 4, 'a\nb'), edit(2, 0, 3, 0, '')], 0],
    [[edit(10, 0, 10, 0, 'a\n')], 1],
    [[edit(10, 1, 10, 1, '\na'), edit(30, 0, 31, 0, '')], 0],
    [[edit(9, 0, 10, 1, '')], 0],
  ] as const) {
    assert.equal(shift(edits, 10), expected);
  }
});

test('a cursor at the end of a line does not follow the lines that are added behind it', () => {
  const lines = { count: 3, length: () => 3 };
  const added = edit(1, 3, 1, 3, '\nnew');
  assert.deepEqual(spare([added], [{ line: 1, character: 3 }], lines), [edit(1, 3, 2, 0, '\nnew\n')]);
  for (const [one, cursor] of [
    [added, { line: 1, character: 2 }],
    [edit(1, 2, 1, 2, '\nnew'), { line: 1, character: 2 }],
    [edit(1, 3, 1, 3, 'new'), { line: 1, character: 3 }],
    [edit(1, 2, 1, 3, '\nnew'), { line: 1, character: 3 }],
    [edit(2, 3, 2, 3, '\nnew'), { line: 2, character: 3 }],
  ] as const) {
    assert.deepEqual(spare([one], [cursor], lines), [one]);
  }
});
