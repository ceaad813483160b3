// What the server must not write behind the editor.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldFiles, LARGEST_SHARED, type Shown } from '../../src/apply/held.ts';

function tab(uri: string, kind: Shown['kind'], dirty = false): Shown {
  return { uri, kind, dirty };
}

test('documents that the server knows are not held, whatever shows them', () => {
  const tabs = [tab('a', 'text', true), tab('b', 'custom', true), tab('c', 'text')];
  assert.deepEqual(
    heldFiles(tabs, [], new Set(['a', 'b']), () => 0),
    [],
  );
});

test('everything else that has a text of its own is', () => {
  const tabs = [
    tab('z', 'notebook'),
    tab('c', 'custom'),
    tab('u', 'text', true),
    tab('large', 'text'),
    tab('clean', 'text'),
    tab('c', 'custom', true),
  ];
  const size = (uri: string): number => (uri === 'large' ? LARGEST_SHARED + 1 : 0);
  assert.deepEqual(heldFiles(tabs, ['m', 'z'], new Set(['z']), size), [
    { uri: 'c', kind: 'custom' },
    { uri: 'large', kind: 'unsynchronised' },
    { uri: 'm', kind: 'notebook' },
    { uri: 'u', kind: 'unsynchronised' },
    { uri: 'z', kind: 'notebook' },
  ]);
});
