// Code actions: decisions and answers are found where VS Code shows them first, and by the kinds that keys are bound to.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { say } from '../harness/turns.ts';
import { endReview, REJECTED, TEXT, twoChanges } from './review.ts';
import { Scene } from './scene.ts';

suite('code actions', () => {
  let scene: Scene;
  teardown(async () => {
    await endReview(scene);
  });

  /** Titles and kinds of the server's actions, as the menu of this line has them. */
  async function actions(line: number, kind?: string): Promise<[string, string][]> {
    const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      scene.uri('acts.txt'),
      new vscode.Range(line, 0, line, 1),
      kind,
    );
    return found
      .map(({ title, kind }): [string, string] => [title, kind?.value ?? ''])
      .filter(([, kind]) => kind.includes('mewcode'));
  }

  test('of a hunk are of a kind that is shown first; asked for by their own kind they have it', async () => {
    scene = await Scene.begin({ 'acts.txt': TEXT }, [...twoChanges('acts.txt', REJECTED), say('.')]);
    await scene.open('acts.txt');
    await scene.prompt('change it');
    await scene.hunks('acts.txt', 2);
    const all = await actions(1);
    assert.deepEqual(all.slice(0, 3), [
      ['Accept this hunk (+2 −1)', 'quickfix.mewcode.review.accept'],
      ['Reject this hunk (+2 −1)', 'quickfix.mewcode.review.reject'],
      ['Show diff', 'quickfix.mewcode.review.diff'],
    ]);
    assert.ok(
      all.some(([title, kind]) => title === 'Open transcript' && kind === 'source.mewcode'),
      'those that VS Code knows stay',
    );
    const [own] = await actions(1, 'mewcode.review.accept');
    assert.deepEqual(own, ['Accept this hunk (+2 −1)', 'mewcode.review.accept']);
  });
});
