// mewcode/pending: what waits is asked for where it may have been told before this window listened, and an answer that is older
// than what was told meanwhile changes nothing.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Questions } from '../../src/approvals/questions.ts';
import type { Approval, ApprovalParams, PendingResult, ReviewParams } from '../../src/protocol.ts';
import { PENDING } from '../../src/protocol.ts';
import { Hunks } from '../../src/review/hunks.ts';
import type { Connection } from '../../src/server/connection.ts';
import { call, edit, read, say } from '../harness/turns.ts';
import { hunk } from '../unit/hunk.ts';
import { Scene, until } from './scene.ts';

/** A server whose answer comes when the test wants. */
class Slow {
  readonly reviewed = new vscode.EventEmitter<ReviewParams>();
  readonly asked = new vscode.EventEmitter<ApprovalParams>();
  answer: (result: PendingResult) => void = () => assert.fail('nothing was asked');

  get connection(): Connection {
    const connection = {
      onReview: this.reviewed.event,
      onApproval: this.asked.event,
      onDidChangePhase: new vscode.EventEmitter().event,
      toUri: (uri: string) => vscode.Uri.parse(uri, true),
      request: () => new Promise<PendingResult>((resolve) => (this.answer = resolve)),
    };
    return connection as unknown as Connection;
  }
}

function question(id: string): Approval {
  return { id, title: id } as Approval;
}

const A = 'file:///w/a.py';
const B = 'file:///w/b.py';

suite('what waits', () => {
  test('questions that were told meanwhile are newer than the answer', async () => {
    const server = new Slow();
    const questions = new Questions(server.connection);
    const late = questions.fetch();
    server.asked.fire({ approvals: [question('new')] });
    server.answer({ hunks: [], approvals: [question('old')] });
    await late;
    assert.deepEqual(
      questions.waiting.map(({ id }) => id),
      ['new'],
    );
    const fresh = questions.fetch();
    server.answer({ hunks: [], approvals: [question('other')] });
    await fresh;
    assert.deepEqual(
      questions.waiting.map(({ id }) => id),
      ['other'],
    );
    questions.dispose();
  });

  test('hunks that were told meanwhile are newer than the answer, their end included', async () => {
    const server = new Slow();
    const hunks = new Hunks(server.connection);
    const late = hunks.fetch();
    server.reviewed.fire({ uri: A, version: 1, hunks: [] });
    const all = [A, B].map((uri) => ({ ...hunk({ id: uri }), uri }));
    server.answer({ hunks: all, approvals: [] });
    await late;
    assert.deepEqual(
      hunks.all().map(({ uri }) => uri.toString()),
      [B],
    );
    hunks.dispose();
  });

  test('the server’s own answer has the hunks of a waiting run, and its questions', async () => {
    const scene = await Scene.begin({ 'pending.txt': 'plain\n', '.env': 'TOKEN=one\n' }, [
      call('read_file', { path: '.env' }, { status: 'denied' }),
      read('pending.txt'),
      edit('pending.txt', 'plain', 'fancy', { status: 'denied' }),
      say('No.'),
    ]);
    const { server, questions } = scene.parts;
    const ask = (): Promise<PendingResult> => server.request<PendingResult>(PENDING, {});
    await scene.prompt('change it');
    const [asked] = await until('the question', () => questions.waiting.length > 0 && questions.waiting);
    assert.deepEqual(
      (await ask()).approvals.map(({ id }) => id),
      [asked?.id],
    );
    await questions.answer(asked?.id ?? '', 'deny');
    const [waiting] = await scene.hunks('pending.txt', 1);
    const pending = await ask();
    assert.deepEqual(pending.approvals, []);
    assert.deepEqual(
      pending.hunks.map(({ id, uri }) => [id, uri]),
      [[waiting?.id, server.fromUri(scene.uri('pending.txt'))]],
    );
    await server.execute('mewcode.review.reject', { all: true });
    await scene.ended();
    await scene.end();
  });
});
