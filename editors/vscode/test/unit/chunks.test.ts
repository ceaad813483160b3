// Pieces of a transcript: however it grows, they are those of the whole text.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chunks } from '../../src/transcript/chunks.ts';

function pieces(text: string, smallest = 0): readonly string[] {
  const chunks = new Chunks(smallest);
  chunks.update(text, 0);
  return chunks.all;
}

void test('a piece ends behind an empty line, but not in a list or a fence', () => {
  assert.deepEqual(pieces(''), []);
  assert.deepEqual(pieces('a\nb\n\n\nc'), ['a\nb\n\n\n', 'c']);
  assert.deepEqual(pieces('- a\n\n  b\n\nc\n'), ['- a\n\n  b\n\n', 'c\n']);
  assert.deepEqual(pieces('```\na\n\nb\n```\n\nc'), ['```\na\n\nb\n```\n\n', 'c']);
  assert.deepEqual(pieces('~~~\n```\n\nb\n~~~\n\nc'), ['~~~\n```\n\nb\n~~~\n\n', 'c']);
  assert.deepEqual(pieces('```\na\n\nb'), ['```\na\n\nb']);
});

void test('a text that changes at any place is cut as if it were new', () => {
  const words = ['a', '\n', '\n', ' ', '```\n', '- b\n'];
  const SMALLEST = 30;
  // A sequence that is always the same, of no pattern.
  let seed = 7;
  const next = (most: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * most);
  };
  const chunks = new Chunks(SMALLEST);
  let text = '';
  for (let step = 0; step < 3000; step++) {
    const unchanged = next(10) === 0 ? next(text.length + 1) : text.length;
    text = text.length > 400 ? '' : text.slice(0, unchanged) + (words[next(words.length)] ?? '');
    const from = chunks.update(text, Math.min(unchanged, text.length));
    assert.deepEqual(chunks.all, pieces(text, SMALLEST));
    assert.ok(from <= chunks.all.length);
  }
});
