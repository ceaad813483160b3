// Untrusted text: nothing in it is hidden, and nothing of it becomes an icon.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, cut, line, lines, oneLine, withoutIcons, wrap } from '../../src/ui/literal.ts';

void test('what would not be seen is written out', () => {
  const cases = [
    ['a b', 'a b'],
    ['Grüße, 世界 🦀', 'Grüße, 世界 🦀'],
    ['a\u202eb', 'a⟨U+202E⟩b'],
    ['a\u200b\u200d\ufeffb', 'a⟨U+200B⟩⟨U+200D⟩⟨U+FEFF⟩b'],
    ['a\u001b[2Jb\u007f', 'a⟨U+001B⟩[2Jb⟨U+007F⟩'],
    ['a\tb\rc', 'a⟨U+0009⟩b⟨U+000D⟩c'],
    ['a\u00a0b\u3000c\u2028d', 'a⟨U+00A0⟩b⟨U+3000⟩c⟨U+2028⟩d'],
    ['x\u{e0041}\ufe0f\u00ad\u3164y', 'x⟨U+E0041⟩⟨U+FE0F⟩⟨U+00AD⟩⟨U+3164⟩y'],
    ['\ue0b0\u{f0001}\0.', '⟨U+E0B0⟩⟨U+F0001⟩⟨U+0000⟩.'],
    ['half \ud83d pair', 'half ⟨U+D83D⟩ pair'],
    ['ls\nrm\r\n', 'ls⏎rm'],
  ] as const;
  for (const [text, expected] of cases) {
    assert.equal(line(text), expected);
  }
  assert.deepEqual(lines('a\r\nb\u0007\n\nc\n\n'), ['a', 'b⟨U+0007⟩', '', 'c']);
});

void test('what is cut says so, and a letter is never cut in two', () => {
  assert.equal(cut('éàü', 3), 'éàü');
  assert.equal(cut('🦀🦀🦀xy', 3), '🦀🦀🦀… (+2 characters)');
});

void test('wrapping keeps every letter', () => {
  const cases = [
    ['', ['']],
    ['short', ['short']],
    ['one two three four', ['one two ', 'three four']],
    ['x'.repeat(25), ['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)]],
    ['世界世界世界', ['世界世界世', '界']],
  ] as const;
  for (const [text, pieces] of cases) {
    assert.deepEqual(wrap(text, 10), pieces);
    assert.equal(wrap(text, 10).join(''), text);
  }
});

void test('nothing becomes an icon', () => {
  const cases = [
    ['echo $(trash) $(rm~spin)', 'echo \\$(trash) \\$(rm~spin)'],
    // VS Code takes the last backslash away, and shows the others.
    ['echo \\$(rm)', 'echo \\\\$(rm)'],
    // Nothing that could be an icon: a backslash would be seen.
    ['echo $(git rev-parse HEAD) $(', 'echo $(git rev-parse HEAD) $('],
  ] as const;
  for (const [text, expected] of cases) {
    assert.equal(withoutIcons(text), expected);
  }
});

void test('words are brought on one line', () => {
  assert.equal(oneLine(' a\n\tb ', 10), 'a b');
  assert.equal(oneLine('abcdef', 3), 'abc…');
});

void test('things are counted', () => {
  assert.deepEqual(
    [0, 1, 2].map((number) => count(number, 'hunk')),
    ['0 hunks', '1 hunk', '2 hunks'],
  );
});
