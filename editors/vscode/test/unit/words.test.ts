// What is typed into the field of a prompt.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandNames, complete, editedAt, mentionOf, wordAt } from '../../src/prompt/words.ts';

void test('the cursor is where something changed', () => {
  for (const [before, after, at] of [
    ['', 'a', 1],
    ['ab', 'aXb', 2],
    ['ab', 'abX', 3],
    ['aXb', 'ab', 1],
    ['aa', 'aaa', 2],
    ['abc', '', 0],
    ['say @a now', 'say @ab now', 7],
    ['', 'explain @gre', 12],
  ] as const) {
    assert.equal(editedAt(before, after), at, `${before} → ${after}`);
  }
});

void test('the word at a place', () => {
  for (const [text, at, expected] of [
    ['explain this', 12, undefined],
    ['explain @gre', 12, { kind: 'file', query: 'gre', start: 8, end: 12 }],
    ['@', 1, { kind: 'file', query: '', start: 0, end: 1 }],
    ['a @src/b and c', 6, { kind: 'file', query: 'src/b', start: 2, end: 8 }],
    ['a @src/b and c', 14, undefined],
    ['mail me@home', 12, undefined],
    ['@#par', 5, { kind: 'symbol', path: undefined, query: 'par', start: 0, end: 5 }],
    ['@a.py:gr', 8, { kind: 'symbol', path: 'a.py', query: 'gr', start: 0, end: 8 }],
    ['@a.py:', 6, { kind: 'symbol', path: 'a.py', query: '', start: 0, end: 6 }],
    ['@a.py:3', 7, undefined],
    ['@a.py:3-9', 9, undefined],
    ['@"a b.py"', 9, undefined],
    ['/', 1, { kind: 'command', query: '', rest: '', start: 0, end: 1 }],
    ['/exp', 4, { kind: 'command', query: 'exp', rest: '', start: 0, end: 4 }],
    ['/explain why so', 15, { kind: 'command', query: 'explain', rest: 'why so', start: 0, end: 8 }],
    ['/explain @a', 11, { kind: 'file', query: 'a', start: 9, end: 11 }],
    ['/etc/passwd', 11, undefined],
    ['a /exp', 6, undefined],
  ] as const) {
    assert.deepEqual(wordAt(text, at), expected, text);
  }
});

void test('a completion replaces its word', () => {
  const completed = (text: string, at: number, by: string): string => {
    const word = wordAt(text, at);
    assert.ok(word);
    return complete(text, word, by);
  };
  assert.equal(completed('explain @gre', 12, '@greet.py'), 'explain @greet.py ');
  assert.equal(completed('a @src/b and c', 6, '@x'), 'a @x and c');
  assert.equal(completed('/exp', 4, '/explain'), '/explain ');
});

void test('files and lines are named so that the model can read them', () => {
  assert.equal(mentionOf('a.py'), '@a.py');
  assert.equal(mentionOf('a b.py'), '@"a b.py"');
  assert.equal(mentionOf('a.py', { from: 3, to: 9 }), '@a.py:3-9');
  assert.equal(mentionOf('a.py', { from: 3, to: 3 }), '@a.py:3');
});

void test('what is offered has short names', () => {
  const titles = ['Explain', 'Review', 'Write tests for', 'Document', 'Simplify'];
  for (const subject of ['the selection', 'function `parse`']) {
    assert.deepEqual(commandNames(titles.map((title) => `${title} ${subject}`)), [
      'explain',
      'review',
      'write-tests',
      'document',
      'simplify',
    ]);
  }
  assert.deepEqual(commandNames([]), []);
  assert.deepEqual(commandNames(['Fix it']), ['fix-it']);
  assert.deepEqual(commandNames(['Fix it', 'Commit']), ['fix-it', 'commit']);
});
