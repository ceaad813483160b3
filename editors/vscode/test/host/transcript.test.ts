// Transcripts: what grows here is what the server says, views and documents show it, and it outlives the server.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import type { TranscriptResult } from '../../src/protocol.ts';
import { TRANSCRIPT } from '../../src/protocol.ts';
import { uriOf } from '../../src/transcript/document.ts';
import { find, open } from '../../src/transcript/files.ts';
import { Growth } from '../../src/transcript/growth.ts';
import { call, edit, read, say } from '../harness/turns.ts';
import { Scene, until } from './scene.ts';

const HOSTILE = [
  'A <img src=x onerror=alert(1)> and <script>alert(1)</script> and [x](command:workbench.action.quit).',
  '![x](https://example.org/x.png) \u001b[31mred\u001b[0m \u202eback',
  '```\n[x](javascript:alert(1))\n',
  'x('.repeat(50_000),
].join('\n');

async function fetched(scene: Scene, session: string): Promise<TranscriptResult> {
  return scene.parts.server.request<TranscriptResult>(TRANSCRIPT, { session });
}

/** The session that runs in a scene. */
function session(scene: Scene): string {
  const found = scene.events[0]?.session;
  assert.ok(found);
  return found;
}

/** The tab of a transcript's view. */
function views(): vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(
      ({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('mewcode.transcript'),
    );
}

/** What the view of a session was told, and waits until it is what the server says. */
async function shown(scene: Scene, id: string): Promise<string> {
  const { markdown } = await fetched(scene, id);
  await until('the view', () => scene.parts.transcript.panels.pieces(id)?.join('') === markdown);
  return markdown;
}

suite('transcript', () => {
  test('grows to the letter as the server writes it', async () => {
    const both = [read('greet.py'), read('none.py')].flatMap((turn) => (turn as { calls: object[] }).calls);
    const turns = [
      { text: 'First I look.', calls: both },
      { ...edit('greet.py', 'hi', '`good` day'), text: `Now <b>I</b> edit.\n\n${HOSTILE}` },
      say(HOSTILE),
    ];
    const scene = await Scene.begin({ 'greet.py': 'print("hi")\n' }, turns, 'accept_edits');
    await scene.open('greet.py');
    await scene.prompt('be <polite>\n\n[x](command:y)');
    await scene.ended();
    const growth = new Growth();
    growth.take(
      { session: session(scene), markdown: `# Session ${session(scene)}\n`, sequence: 0 },
      undefined,
    );
    const effects = new Set(scene.events.slice(0, -1).map((envelope) => growth.add(envelope)));
    assert.ok(!effects.has('fetch'), 'all of it was placed here');
    assert.equal(growth.text, (await fetched(scene, session(scene))).markdown);
    await scene.end();
  });

  test('is shown by a view that follows each session of its own', async () => {
    const scene = await Scene.begin({ 'greet.py': 'print("hi")\n' }, [read('greet.py'), say('One.')]);
    await scene.prompt('first');
    await scene.ended();
    const first = session(scene);
    assert.equal(views().length, 0, 'it is not opened unasked');
    await vscode.commands.executeCommand('mew.openTranscript');
    const [tab] = await until('the view', () => views().length === 1 && views());
    assert.ok(tab?.isActive);
    assert.match(await shown(scene, first), /## Prompt\n\n> first\n\n- ✓ `read_file greet.py`.*\n\nOne\.\n/);
    await until('its name', () => views()[0]?.label === 'Transcript: first');
    await scene.end();

    const other = await Scene.begin({}, [say('Two.')]);
    const before = scene.parts.transcript.panels.pieces(first);
    await vscode.commands.executeCommand('mew.openTranscript', { session: first });
    await other.prompt('second');
    await other.ended();
    await vscode.commands.executeCommand('mewcode.openTranscript', { session: session(other) });
    await until('both views', () => views().length === 2);
    assert.match(await shown(other, session(other)), /Two\./);
    assert.equal(before, undefined, 'closed views hold nothing');
    assert.match(await shown(other, first), /One\./);
    await vscode.commands.executeCommand('mew.openTranscript', { session: first });
    await until(
      'the first in front',
      () => views().find((one) => one.label === 'Transcript: first')?.isActive,
    );
    assert.equal(views().length, 2, 'each has one view');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await other.end();
  });

  test('grows while a view and a document show it, questions and output included', async () => {
    const turns = [call('bash', { command: 'touch /etc/no' }, { status: 'denied' }), say('Done.')];
    const scene = await Scene.begin({ 'a.py': '1\n' }, turns);
    await scene.prompt('run it');
    const [question] = await until(
      'the question',
      () => scene.parts.questions.waiting.length > 0 && scene.parts.questions.waiting,
    );
    const id = session(scene);
    await vscode.commands.executeCommand('mew.openTranscript');
    await vscode.commands.executeCommand('mew.openTranscriptText');
    await until('that it waits', () =>
      (scene.parts.transcript.panels.pieces(id)?.join('') ?? '').includes('waits for your answer'),
    );
    const document = await vscode.workspace.openTextDocument(uriOf(id));
    await until('that it waits', () => document.getText().includes('waits for your answer'));
    assert.equal(document.languageId, 'markdown');
    await scene.parts.server.execute('mewcode.approval.answer', { id: question?.id, answer: 'deny' });
    await scene.ended();
    const markdown = await shown(scene, id);
    await until('the document', () => document.getText() === markdown);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await scene.end();
  });

  test('has links to the files of the workspace in its text, and to no others', async () => {
    const words =
      'See `greet.py:2`, [it](greet.py#L1), [no](/etc/passwd), `none.py` and [x](https://example.org/).';
    const scene = await Scene.begin({ 'greet.py': 'a\nb\n' }, [read('greet.py'), say(words)]);
    await scene.prompt('look');
    await scene.ended();
    await vscode.commands.executeCommand('mew.openTranscriptText');
    const document = await vscode.workspace.openTextDocument(uriOf(session(scene)));
    const links = await scene.parts.transcript.documents.provideDocumentLinks(document);
    const targets = links.map(
      (link) => `${link.target?.scheme ?? ''} ${link.target?.path ?? ''} ${link.target?.fragment ?? ''}`,
    );
    const file = scene.uri('greet.py').path;
    assert.ok(targets.includes(`file ${file} L2`), targets.join('\n'));
    assert.ok(targets.includes(`file ${file} L1`));
    assert.ok(targets.includes(`file ${file} `));
    assert.ok(targets.includes('https / '), targets.join('\n'));
    assert.ok(!targets.some((one) => /passwd|none\.py/.test(one)), targets.join('\n'));
    await scene.end();
  });

  test('opens only files that are in the workspace', async () => {
    const scene = await Scene.begin({ 'dir/greet.py': 'a\nb\nc\n' }, [say('Nothing.')]);
    fs.symlinkSync('/etc', scene.uri('out').fsPath);
    const found = async (path: string): Promise<string | undefined> =>
      (await find({ kind: 'file', path }))?.fsPath;
    const own = scene.uri('dir/greet.py').fsPath;
    assert.equal(await found('dir/greet.py'), own);
    assert.equal(await found(own), own);
    assert.equal(await found('dir/../dir/greet.py'), own);
    for (const other of [
      'dir',
      '.',
      '..',
      '/etc/passwd',
      '../../etc/passwd',
      'out/passwd',
      'none.py',
      'x'.repeat(900),
    ]) {
      assert.equal(await found(other), undefined, other);
    }
    fs.unlinkSync(scene.uri('out').fsPath);
    await open({ kind: 'file', path: 'dir/greet.py', line: 3 });
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, own);
    assert.equal(vscode.window.activeTextEditor.selection.start.line, 2);
    await assert.rejects(
      open({ kind: 'file', path: 'none.py' }),
      /there is no file none\.py in this workspace/,
    );
    await scene.end();
  });

  test('stays when the server ends, and says so', async () => {
    const scene = await Scene.begin({}, [say('Here I am.')]);
    await scene.prompt('where');
    await scene.ended();
    const id = session(scene);
    await vscode.commands.executeCommand('mew.openTranscript');
    const markdown = await shown(scene, id);
    await vscode.commands.executeCommand('mew.openTranscriptText', { session: id });
    const document = await vscode.workspace.openTextDocument(uriOf(id));
    await scene.parts.server.stop();
    await until('the note', () => document.getText().includes('The server that ran this session has ended'));
    assert.ok(document.getText().startsWith(markdown));
    assert.equal(scene.parts.transcript.panels.pieces(id)?.join(''), markdown);
    await scene.parts.server.start();
    await scene.parts.transcript.store.settled(id);
    assert.equal(scene.parts.transcript.panels.pieces(id)?.join(''), markdown);
    assert.ok(document.getText().startsWith(markdown));
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await scene.end();
  });
});
