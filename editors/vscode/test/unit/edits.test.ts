// Edits are refused as a whole, and can be taken back.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Range, TextEdit } from 'vscode-languageclient';
import { fault, inverse, type Lines } from '../../src/text/edits.ts';

function linesOf(text: string): Lines {
  const lines = text.split('\n');
  return { count: lines.length, length: (line) => lines[line]?.length ?? 0 };
}

function edit(at: [number, number, number, number], newText: string): TextEdit {
  const [line, character, endLine, endCharacter] = at;
  return { range: { start: { line, character }, end: { line: endLine, character: endCharacter } }, newText };
}

function offset(text: string, line: number, character: number): number {
  const lines = text.split('\n');
  const start = lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0);
  return start + Math.min(character, lines[line]?.length ?? 0);
}

function cut(text: string, { start, end }: Range): [number, number] {
  return [offset(text, start.line, start.character), offset(text, end.line, end.character)];
}

function apply(text: string, edits: TextEdit[]): string {
  return edits.reduceRight((present, { range, newText }) => {
    const [start, end] = cut(present, range);
    return present.slice(0, start) + newText + present.slice(end);
  }, text);
}

test('edits that are not ascending, disjoint and inside are refused', () => {
  const lines = linesOf('one\ntwo\nthree');
  for (const [edits, expected] of [
    [[], undefined],
    [[edit([0, 0, 0, 3], 'x'), edit([0, 3, 1, 0], '')], undefined],
    [[edit([2, 5, 2, 99], '\nfour')], undefined],
    [[edit([1, 1, 1, 1], 'a'), edit([1, 1, 1, 1], 'b')], undefined],
    [[edit([0, 0, 0, 99], 'x'), edit([0, 3, 0, 3], 'y')], undefined],
    [[edit([3, 0, 3, 0], 'x')], /outside the 3 lines/],
    [[edit([0, -1, 0, 0], 'x')], /outside/],
    [[edit([1, 2, 1, 1], 'x')], /ends before it starts/],
    [[edit([1, 0, 1, 2], 'x'), edit([1, 1, 1, 3], 'y')], /overlap in line 2/],
    [[edit([2, 0, 2, 0], 'x'), edit([0, 0, 0, 0], 'y')], /overlap/],
    [[edit([0, 0, 0, 0], 'a\rb')], /carriage return alone/],
    [[edit([0, 0, 0, 0], 'a\r\nb')], undefined],
    [[edit([0, 0, 0, 0], 'a\udc00')], /half of a character/],
  ] as const) {
    const found = fault(edits, lines);
    if (expected) {
      assert.match(found ?? '', expected);
    } else {
      assert.equal(found, undefined);
    }
  }
});

test('edits can be taken back', () => {
  const text = 'one\ntwo three\n\nfour five six\nseven';
  for (const edits of [
    [edit([0, 0, 0, 3], 'ONE')],
    [edit([0, 1, 0, 2], ''), edit([0, 3, 0, 3], 'x'), edit([1, 0, 1, 3], 'a\nb\nc'), edit([1, 4, 1, 9], 'd')],
    [
      edit([0, 3, 1, 0], ''),
      edit([1, 3, 3, 4], '-'),
      edit([3, 5, 3, 9], '\n\n'),
      edit([4, 5, 4, 5], '\nend\n'),
    ],
    [edit([0, 0, 4, 5], '')],
    [edit([0, 2, 0, 99], '\r\n!'), edit([1, 0, 1, 1], 'T')],
  ]) {
    const after = apply(text, edits).replaceAll('\r\n', '\n');
    const [old, lines] = [(range: Range) => text.slice(...cut(text, range)), linesOf(text)];
    assert.equal(apply(after, inverse(edits, old, lines)), text);
  }
});
