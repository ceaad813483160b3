// Where hunks stand when lists of them come late: a list speaks of the version of the document that it names.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ReviewParams } from '../../src/protocol.ts';
import { Hunks } from '../../src/review/hunks.ts';
import { Places } from '../../src/review/places.ts';
import type { Connection } from '../../src/server/connection.ts';
import { say } from '../harness/turns.ts';
import { hunk } from '../unit/hunk.ts';
import { type } from './review.ts';
import { Scene } from './scene.ts';

suite('review: places', () => {
  test('a list of an earlier version is carried through what was typed since, and no other', async () => {
    const scene = await Scene.begin({ 'places.txt': 'one\ntwo\nthree\n' }, [say('Done.')]);
    const told = new vscode.EventEmitter<ReviewParams>();
    const connection = {
      onReview: told.event,
      onDidChangePhase: new vscode.EventEmitter().event,
      toUri: (uri: string) => vscode.Uri.parse(uri, true),
    };
    const hunks = new Hunks(connection as unknown as Connection);
    const places = new Places(hunks);
    try {
      const editor = await scene.open('places.txt');
      const { document } = editor;
      const uri = document.uri.toString();
      const early = document.version;
      await type(editor, 0, 'new\nlines\n');
      const late = document.version;
      const at = (version: number | null): (number | undefined)[] => {
        told.fire({ uri, version, hunks: [hunk({ startLine: 1, endLine: 2 })] });
        return places.of(document.uri).flatMap(({ first, last }) => [first, last]);
      };
      assert.deepEqual(at(early), [3, 4], 'two lines were typed above it');
      assert.deepEqual(at(late), [1, 2], 'it speaks of the text with those lines');
      await type(editor, 0, 'more\n');
      assert.deepEqual(
        places.of(document.uri).map(({ first }) => first),
        [2],
      );
      assert.deepEqual(at(late), [2, 3]);
      assert.deepEqual(at(early), [4, 5]);
    } finally {
      places.dispose();
      hunks.dispose();
      told.dispose();
      await scene.end();
    }
  });
});
