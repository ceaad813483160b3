// What is told of a decision.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DecisionResult } from '../../src/protocol.ts';
import { decidedWords, type Verb } from '../../src/review/decided.ts';

const table: [verb: Verb, result: DecisionResult, words: string][] = [
  ['accept', { hunks: 1 }, 'accepted 1 hunk in a.py'],
  ['reject', { hunks: 2, conflicts: 0 }, 'rejected 2 hunks in a.py'],
  ['accept', { hunks: 2, conflicts: 1 }, 'accepted 2 hunks; 1 conflict waits for your choice'],
  ['accept', { hunks: 1, conflicts: 3 }, 'accepted 1 hunk; 3 conflicts wait for your choice'],
  ['accept', { hunks: 0, conflicts: 2 }, '2 conflicts wait for your choice'],
];

for (const [verb, result, words] of table) {
  void test(`told of a decision: ${words}`, () => {
    assert.equal(decidedWords(verb, result, 'a.py'), words);
  });
}
