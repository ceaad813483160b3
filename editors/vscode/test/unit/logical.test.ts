// The logical text of a document is what the server hashes.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { hash, logical, NoText, sha256 } from '../../src/text/logical.ts';

test('line ends and byte order marks do not count', () => {
  for (const [text, expected] of [
    ['', '\n'],
    ['\n', '\n'],
    ['\r\n', '\n'],
    ['a', 'a\n'],
    ['a\n', 'a\n'],
    ['a\r\nb', 'a\nb\n'],
    ['a\r\nb\nc\r\n', 'a\nb\nc\n'],
    ['\ufeffa\n', 'a\n'],
    ['\ufeff\ufeffa\n', '\ufeffa\n'],
    ['a\ufeff\n', 'a\ufeff\n'],
    ['a\rb\n', 'a\rb\n'],
    ['a\r\r\nb', 'a\r\nb\n'],
    ['a\u2028b\u2029c\u0085\n', 'a\u2028b\u2029c\u0085\n'],
    ['🦀 é e\u0301', '🦀 é e\u0301\n'],
    ['a\r', 'a\r\n'],
  ] as const) {
    assert.equal(logical(text), expected, JSON.stringify(text));
  }
});

test('the hash is that of the UTF-8 bytes', () => {
  assert.equal(sha256('🦀\n'), '5d40fbf44301a6d80c06a5a5fb6aa8cdbb0c987d3aa07740e2bb941df3d7b862');
  assert.equal(sha256('\n'), '01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b');
});

test('a document is hashed once for each of its versions', () => {
  let reads = 0;
  const document = {
    version: 1,
    text: 'a\r\n',
    getText(): string {
      reads += 1;
      return this.text;
    },
  };
  assert.equal(hash(document), sha256('a\n'));
  assert.equal(hash(document), sha256('a\n'));
  assert.equal(reads, 1);
  document.version = 2;
  document.text = 'b';
  assert.equal(hash(document), sha256('b\n'));
  assert.equal(reads, 2);
});

test('half a character has no hash', () => {
  const document = { version: 1, getText: () => 'a\ud83e' };
  assert.throws(() => hash(document), NoText);
  assert.throws(() => hash(document), NoText);
});
