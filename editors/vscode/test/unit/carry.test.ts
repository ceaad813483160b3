// Lines carried through changes.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { carry, carryAll, changeOf } from '../../src/review/carry.ts';

type Position = [line: number, character: number];

const change = ([startLine, startCharacter]: Position, [endLine, endCharacter]: Position, text: string) =>
  changeOf(
    {
      start: { line: startLine, character: startCharacter },
      end: { line: endLine, character: endCharacter },
    },
    text,
  );

const table: [what: string, lines: Position, start: Position, end: Position, text: string, then: Position][] =
  [
    ['a line typed above', [3, 5], [1, 0], [1, 0], 'x\n', [4, 6]],
    ['a character typed above', [3, 5], [1, 2], [1, 2], 'x', [3, 5]],
    ['two lines taken away above', [3, 5], [0, 0], [2, 0], '', [1, 3]],
    ['lines taken away right above', [3, 5], [1, 0], [3, 0], '', [1, 3]],
    ['a line put in right above', [3, 5], [3, 0], [3, 0], 'x\n', [4, 6]],
    ['Enter at the end of the line above', [3, 5], [2, 7], [2, 7], '\n', [4, 6]],
    ['a character at its beginning', [3, 5], [3, 0], [3, 0], 'x', [3, 5]],
    ['a line inside', [3, 5], [4, 0], [4, 0], 'x\n', [3, 6]],
    ['two lines typed at its beginning', [3, 5], [3, 0], [3, 0], 'x\ny', [3, 6]],
    ['a line of it taken away', [3, 5], [3, 0], [4, 0], '', [3, 4]],
    ['all of it taken away with what is above', [3, 5], [2, 0], [5, 0], '', [2, 2]],
    ['its end replaced with what is below', [3, 5], [4, 1], [7, 1], 'x\ny', [3, 6]],
    ['its beginning replaced with what is above', [3, 5], [2, 0], [3, 2], 'x', [2, 4]],
    ['a line below', [3, 5], [5, 0], [5, 0], 'x\n', [3, 5]],
    ['CRLF counts once', [3, 5], [0, 0], [0, 0], 'x\r\ny\r\n', [5, 7]],
    ['a place between lines moves', [3, 3], [1, 0], [1, 0], 'x\n', [4, 4]],
    ['a place stays for what is below', [3, 3], [3, 2], [3, 2], 'x\n', [3, 3]],
    ['everything replaced', [3, 5], [0, 0], [9, 0], 'x', [0, 0]],
  ];

for (const [what, [first, last], start, end, text, [thenFirst, thenLast]] of table) {
  void test(`carry: ${what}`, () => {
    assert.deepEqual(carry({ first, last }, change(start, end, text)), { first: thenFirst, last: thenLast });
  });
}

void test('changes of one text are told from below', () => {
  const changes = [change([6, 0], [6, 0], 'x\n'), change([1, 0], [1, 0], 'x\n')];
  assert.deepEqual(carryAll({ first: 3, last: 5 }, changes), { first: 4, last: 6 });
});
