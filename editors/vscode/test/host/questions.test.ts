// Questions inside VS Code: each is seen on every surface, answered once, and by nobody by accident.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import { SCHEME } from '../../src/approvals/document.ts';
import type { Approval } from '../../src/protocol.ts';
import type { Node } from '../../src/views/node.ts';
import { call, say } from '../harness/turns.ts';
import type { Turn } from '../harness/workspace.ts';
import { Scene, until } from './scene.ts';

const OK = { status: 'ok' };
const DENIED = { status: 'denied' };

/** A command that leaves a file, so that it is asked for and its doing is seen. */
function touching(file: string, expect: object): Turn {
  return call('bash', { command: `touch ${file}`, description: 'leave a file' }, expect);
}

/** What the extension tells by messages meanwhile. */
async function messages(act: () => Promise<unknown>): Promise<string[]> {
  const told: string[] = [];
  const { window } = vscode;
  const kept = { info: window.showInformationMessage, error: window.showErrorMessage };
  const listen = (message: string): Promise<undefined> => {
    told.push(message);
    return Promise.resolve(undefined);
  };
  Object.assign(window, { showInformationMessage: listen, showErrorMessage: listen });
  try {
    await act();
  } finally {
    Object.assign(window, { showInformationMessage: kept.info, showErrorMessage: kept.error });
  }
  return told;
}

suite('questions', () => {
  let scene: Scene;

  async function begin(turns: readonly Turn[]): Promise<void> {
    scene = await Scene.begin({ 'plain.txt': 'plain\n' }, turns);
    for (const file of ['made.txt', 'other.txt']) {
      fs.rmSync(scene.uri(file).fsPath, { force: true });
    }
    await scene.open('plain.txt');
    await scene.prompt('do it');
  }

  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await scene.end();
  });

  async function waiting(count: number): Promise<readonly Approval[]> {
    return until(`${count} questions`, () => {
      const all = scene.parts.questions.waiting;
      return all.length === count && all;
    });
  }

  async function one(): Promise<Approval> {
    const [approval] = await waiting(1);
    assert.ok(approval);
    return approval;
  }

  function made(file = 'made.txt'): boolean {
    return fs.existsSync(scene.uri(file).fsPath);
  }

  /** Shows a question by the user's command, and waits until its refusal has the focus. */
  async function show(id: string, argument?: object): Promise<{ closed: Promise<unknown> }> {
    const { approve } = scene.parts.surfaces;
    const closed = Promise.resolve(vscode.commands.executeCommand('mew.approve', argument));
    await until('the pick', () => approve.shown?.id === id && approve.shown.active !== undefined);
    assert.match(approve.shown?.active ?? '', /Deny|Do not/);
    return { closed };
  }

  /** Goes down to the row with this label and presses Enter. */
  async function choose(label: string): Promise<void> {
    const { approve } = scene.parts.surfaces;
    for (let steps = 0; !(approve.shown?.active ?? '').includes(label); steps++) {
      const before = approve.shown?.active;
      assert.ok(steps < 30, `${label} is none of ${approve.shown?.labels.join(', ') ?? 'nothing'}`);
      await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
      await until('the next row', () => approve.shown?.active !== before);
    }
    await enter();
  }

  async function enter(): Promise<void> {
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
  }

  function row(label: string): Node {
    const all = scene.parts.surfaces.views.questions.nodes.flatMap((node) => [
      node,
      ...(node.children ?? []),
    ]);
    const found = all.find((node) => node.label.includes(label));
    assert.ok(found, label);
    return found;
  }

  test('are seen on every surface, and leave all of them when they are answered', async () => {
    await begin([touching('made.txt', OK), say('Done.')]);
    const approval = await one();
    const { views, notices, statusItem } = scene.parts.surfaces;
    assert.equal(views.questions.badge?.value, 1);
    assert.deepEqual(notices.shown, [approval.id]);
    assert.match(statusItem.shown.text, /1 question/);
    assert.equal(statusItem.shown.background, 'warning');
    assert.match(row('touch made.txt').tooltip ?? '', /sandbox/i);
    assert.equal(scene.parts.surfaces.approve.shown, undefined, 'nothing opens by itself');
    assert.equal(vscode.window.activeTextEditor?.document.uri.path, scene.uri('plain.txt').path);
    await scene.parts.questions.answer(approval.id, 'once');
    await scene.ended();
    await waiting(0);
    assert.equal(views.questions.badge, undefined);
    assert.deepEqual(views.questions.nodes, []);
    assert.deepEqual(notices.shown, []);
    await until('the status', () => statusItem.shown.background === undefined);
    assert.ok(made());
  });

  test('show their refusal in focus; Enter asks for a word and then denies', async () => {
    await begin([touching('made.txt', DENIED), say('No.')]);
    const { id } = await one();
    const { closed } = await show(id);
    await enter();
    await until('the field for a word', () => scene.parts.surfaces.approve.shown === undefined);
    assert.equal(scene.parts.questions.waiting.length, 1, 'it waits for the word');
    await enter();
    await closed;
    await scene.ended();
    assert.ok(!made());
  });

  test('are allowed by the row that allows', async () => {
    await begin([touching('made.txt', OK), say('Done.')]);
    const { id } = await one();
    const { closed } = await show(id, { id });
    await choose('Allow once');
    await closed;
    await scene.ended();
    assert.ok(made());
  });

  test('wait on when they are closed, the field for a word included', async () => {
    await begin([touching('made.txt', DENIED), say('No.')]);
    const { id } = await one();
    for (const steps of [0, 1]) {
      const { closed } = await show(id, { id });
      for (let step = 0; step < steps; step++) {
        await enter();
        await until('the field for a word', () => scene.parts.surfaces.approve.shown === undefined);
      }
      await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
      await closed;
      assert.equal((await one()).id, id);
    }
    await scene.parts.questions.answer(id, 'deny', 'not now');
    await scene.ended();
  });

  test('that are answered elsewhere while they are looked at say so, and no key answers any more', async () => {
    await begin([touching('made.txt', DENIED), say('No.')]);
    const { id } = await one();
    const { closed } = await show(id, { id });
    await scene.parts.questions.answer(id, 'deny');
    await until('the news', () => scene.parts.surfaces.approve.shown?.gone);
    assert.deepEqual(scene.parts.surfaces.approve.shown?.labels, ['$(close) Close']);
    // The first of these keys may reach the rows that were there before: it does nothing.
    await until('it to close', async () => {
      await enter();
      return scene.parts.surfaces.approve.shown === undefined;
    });
    await closed;
    await scene.ended();
    assert.ok(!made());
  });

  test('take the first of two answers; the second is told what was answered', async () => {
    await begin([touching('made.txt', DENIED), say('No.')]);
    const { id } = await one();
    const { command, argument } = row('Allow once').command ?? assert.fail('it is an answer');
    await scene.parts.questions.answer(id, 'deny');
    const told = await messages(async () => vscode.commands.executeCommand(command, argument));
    assert.deepEqual(told, ['MewCode: This question was answered already: denied']);
    assert.deepEqual(await messages(async () => vscode.commands.executeCommand('mew.approve', { id })), [
      'MewCode: This question does not wait any more.',
    ]);
    assert.deepEqual(await messages(async () => vscode.commands.executeCommand('mew.approve')), [
      'MewCode: No question waits for you.',
    ]);
    await scene.ended();
    assert.ok(!made());
  });

  test('are answered by the rows and the buttons of the tree', async () => {
    await begin([touching('made.txt', OK), touching('other.txt', DENIED), say('Done.')]);
    await one();
    const { command, argument } = row('Allow once').command ?? assert.fail('it is an answer');
    await vscode.commands.executeCommand(command, argument);
    await until('the second', () => scene.parts.questions.waiting[0]?.title.includes('other.txt'));
    assert.ok(made());
    const denied = Promise.resolve(vscode.commands.executeCommand('mew.denyQuestion', row('other.txt')));
    await until('the denial', async () => {
      await enter();
      return scene.parts.questions.waiting.length === 0;
    });
    await denied;
    await scene.ended();
    assert.ok(!made('other.txt'));
  });

  test('that come together are listed, and each answer goes to its own', async () => {
    scene = await Scene.begin({ '.env': 'TOKEN=one\n', 'b/.env': 'TOKEN=two\n' }, [
      {
        calls: ['.env', 'b/.env'].map((path) => ({ tool: 'read_file', args: { path } })),
        expect: [OK, DENIED],
      },
      say('Done.'),
    ]);
    await scene.prompt('read both');
    const both = await waiting(2);
    assert.match(scene.parts.surfaces.statusItem.shown.text, /2 questions/);
    assert.equal(scene.parts.surfaces.views.questions.badge?.value, 2);
    const second = both.find((approval) => approval.title.includes('b/.env'));
    const first = both.find((approval) => approval !== second);
    assert.ok(first && second);
    const listed = Promise.resolve(vscode.commands.executeCommand('mew.approve'));
    await until('the list', () => scene.parts.surfaces.approve.shown?.active);
    assert.deepEqual(
      scene.parts.surfaces.approve.shown?.labels,
      both.map((approval) => approval.title),
    );
    await choose(first.title);
    await until('the question', () => {
      const { shown } = scene.parts.surfaces.approve;
      return shown?.id === first.id && shown.active;
    });
    await choose('Allow once');
    await listed;
    await waiting(1);
    const { closed } = await show(second.id);
    await enter();
    await until('the field for a word', () => scene.parts.surfaces.approve.shown === undefined);
    await enter();
    await closed;
    await scene.ended();
  });

  test('that are too long stand wholly in a document behind the pick', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `echo line ${index} > made.txt`);
    await begin([call('bash', { command: lines.join('\n'), description: 'much' }, DENIED), say('No.')]);
    const { id } = await one();
    const { closed } = await show(id, { id });
    assert.equal(scene.parts.surfaces.approve.shown?.whole, false);
    const document = await until('the document', () =>
      vscode.window.visibleTextEditors.find(({ document: { uri } }) => uri.scheme === SCHEME),
    );
    assert.ok(lines.every((line) => document.document.getText().includes(line)));
    const wrap = vscode.workspace.getConfiguration('editor', document.document).get('wordWrap');
    assert.equal(wrap, 'on', 'the end of a long line is not out of sight');
    assert.ok(scene.parts.surfaces.approve.shown, 'the pick keeps the keyboard');
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await closed;
    await scene.parts.questions.answer(id, 'deny');
    await until('the news in the document', () =>
      document.document.getText().startsWith('This question does not wait any more.'),
    );
    await scene.ended();
  });

  test('are shown wholly where the server’s own command asks for it', async () => {
    await begin([touching('made.txt', DENIED), say('No.')]);
    const { id } = await one();
    await vscode.commands.executeCommand('mewcode.approval.show', { id });
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.scheme, SCHEME);
    assert.match(editor.document.getText(), /What will happen:[^]*touch made\.txt/);
    await scene.parts.questions.answer(id, 'deny');
    await scene.ended();
  });

  test('of the model are answered by an option, or in the user’s own words', async () => {
    const ask = { question: 'Tabs or blanks?', options: ['tabs', 'blanks'] };
    const said = (pattern: string): object => ({ status: 'ok', contains: pattern });
    await begin([
      call('ask_user', ask, said('blanks')),
      call('ask_user', ask, said('neither of them')),
      say('Done.'),
    ]);
    const { id, kind } = await one();
    assert.equal(kind, 'choice');
    const { closed } = await show(id);
    await choose('blanks');
    await closed;
    const second = await until('the second', () => scene.parts.questions.waiting.find((it) => it.id !== id));
    await scene.parts.questions.answer(second.id, 'neither of them');
    await scene.ended();
  });

  test('end with their server: an answer that comes later is told so', async () => {
    await begin([touching('made.txt', DENIED), say('No.')]);
    const { id } = await one();
    const { closed } = await show(id, { id });
    await vscode.commands.executeCommand('mew.restart');
    await until('the news', () => scene.parts.surfaces.approve.shown?.gone);
    assert.deepEqual(scene.parts.surfaces.views.questions.nodes, []);
    assert.deepEqual(scene.parts.surfaces.notices.shown, []);
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await closed;
    await assert.rejects(scene.parts.questions.answer(id, 'once'), /earlier server/);
    assert.ok(!made());
  });

  test('about trust come from the user’s command and show what would be granted', async () => {
    await begin([say('Done.')]);
    await scene.ended();
    const own = scene.disk('.mewcode.yaml');
    scene.write('.mewcode.yaml', `${own}permissions: {allow: ["bash(frobnicate:*)"]}\n`);
    try {
      await scene.parts.server.execute('mewcode.reloadConfig', {});
      await until('the status', () => scene.parts.surfaces.statusItem.shown.text.includes('not trusted'));
      const closed = Promise.resolve(vscode.commands.executeCommand('mew.trust'));
      const shown = await until('the question', () => scene.parts.surfaces.approve.shown);
      assert.match(shown.labels.join('\n'), /frobnicate/);
      await until('the refusal', () => scene.parts.surfaces.approve.shown?.active?.includes('Do not trust'));
      await enter();
      await closed;
      await waiting(0);
      assert.match(scene.parts.surfaces.statusItem.shown.text, /not trusted/);
    } finally {
      scene.write('.mewcode.yaml', own);
      await scene.parts.server.execute('mewcode.reloadConfig', {});
    }
    const told = await messages(async () => vscode.commands.executeCommand('mew.trust'));
    assert.match(told.join(), /nothing/);
  });
});
