// Prompting: what goes along, what is offered while one types, and that no word is lost.

import * as assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import type { Field } from '../../src/prompt/field.ts';
import type { Started } from '../../src/prompt/prompt.ts';
import type { Row } from '../../src/prompt/rows.ts';
import { CHECKSUM } from '../../src/protocol.ts';
import { SCHEME } from '../../src/text/address.ts';
import { sha256 } from '../../src/text/logical.ts';
import { call, say } from '../harness/turns.ts';
import { withSetting } from './hand.ts';
import { oneChange, patch, REJECTED } from './review.ts';
import { Scene, until } from './scene.ts';

const GREET = 'def greet():\n    print("hi")\n\n\ndef part():\n    print("bye")\n';

/** Opens the field as its key does. */
async function openField(
  scene: Scene,
  ...given: unknown[]
): Promise<{ field: Field; closed: Thenable<unknown> }> {
  const closed = vscode.commands.executeCommand('mew.prompt', ...given);
  const field = await until('the field', () => scene.parts.prompt.field);
  return { field, closed };
}

/** Types, and waits for the rows of these words. */
async function rowsOf(field: Field, text: string): Promise<readonly Row[]> {
  field.type(text);
  return until('the rows', () => field.rows);
}

function words(rows: readonly Row[]): string[] {
  return rows.map((row) => row.description ?? '');
}

async function accept(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
}

async function close(closed: Thenable<unknown>): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
  await closed;
}

/** The arguments of the prompts that go to the server. */
function sent(scene: Scene): { argument: Record<string, unknown>; restore: () => void } {
  const { server } = scene.parts;
  const execute = server.execute.bind(server);
  const seen = {
    argument: {} as Record<string, unknown>,
    restore: () => void Reflect.deleteProperty(server, 'execute'),
  };
  server.execute = (command, argument) => {
    if (command === 'mewcode.prompt') {
      seen.argument = { ...argument };
    }
    return execute(command, argument);
  };
  return seen;
}

suite('prompt', () => {
  test('sends words with what is selected, and tells where', async () => {
    const scene = await Scene.begin({ 'greet.py': GREET }, [say('One.'), say('Two.')]);
    await scene.parts.prompt.history.keep('');
    const editor = await scene.open('greet.py');
    editor.selection = new vscode.Selection(0, 0, 2, 0);
    const seen = sent(scene);
    const { field, closed } = await openField(scene);
    assert.equal(field.title, 'Prompt about greet.py:1-2');
    assert.deepEqual(words(await rowsOf(field, 'explain')).slice(0, 1), ['Send']);
    await accept();
    await closed;
    await scene.ended();
    const { range, uri, text } = seen.argument;
    assert.equal(text, 'explain');
    assert.equal(uri, scene.uri('greet.py').toString());
    assert.deepEqual(range, { start: { line: 0, character: 0 }, end: { line: 2, character: 0 } });
    assert.equal(
      scene.events[0]?.event.kind === 'run_started' && scene.events[0].event.prompt.includes('explain'),
      true,
    );
    assert.equal(scene.parts.prompt.history.draft, '');
    assert.equal(scene.parts.prompt.history.sent[0], 'explain');
    seen.restore();
    await scene.end();
  });

  test('waits until the server holds the texts that the window holds', async () => {
    const turns = [
      call('read_file', { path: 'greet.py' }, { status: 'ok', contains: '# typed' }),
      say('Done.'),
    ];
    const scene = await Scene.begin({ 'greet.py': GREET }, turns);
    const { server } = scene.parts;
    const { document } = await scene.open('greet.py');
    await vscode.commands.executeCommand('type', { text: '# typed ' });
    // A server that has lost the thread.
    const wrong = 'something else\n';
    await server.request(CHECKSUM, {
      uri: server.fromUri(document.uri),
      version: document.version,
      sha256: sha256(wrong),
      text: wrong,
    });
    await vscode.commands.executeCommand('mew.prompt', { text: 'read it' });
    await scene.ended();
    await scene.end();
  });

  test('is about the whole document without a selection, and about nothing without a document', async () => {
    const scene = await Scene.begin({ 'greet.py': GREET, 'other.py': '' }, [say('Nothing.')]);
    const nothing = await openField(scene);
    assert.equal(nothing.field.title, 'Prompt');
    await close(nothing.closed);
    const editor = await scene.open('greet.py');
    editor.selection = new vscode.Selection(1, 1, 1, 1);
    const whole = await openField(scene);
    assert.equal(whole.field.title, 'Prompt about greet.py');
    await close(whole.closed);
    const menu = await openField(scene, scene.uri('other.py'));
    assert.equal(menu.field.title, 'Prompt about other.py');
    await close(menu.closed);
    await scene.end();
  });

  test('names only what goes along: no document without a file, and of a diff its file', async () => {
    const turns = [
      ...oneChange('greet.py', '    print("hi")', '    print("good day")\n', REJECTED),
      call('apply_patch', patch('*** Add File: new.py', '+fresh'), REJECTED),
      say('.'),
    ];
    const scene = await Scene.begin({ 'greet.py': GREET }, turns);
    const draft = await vscode.workspace.openTextDocument({ content: GREET });
    const editor = await vscode.window.showTextDocument(draft);
    editor.selection = new vscode.Selection(0, 0, 2, 0);
    const untitled = await openField(scene);
    assert.equal(untitled.field.title, 'Prompt');
    await close(untitled.closed);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await scene.prompt('change it');
    const [hunk] = await scene.hunks('greet.py', 1);
    const inDiff = (): unknown =>
      until('the diff', () => vscode.window.activeTextEditor?.document.uri.scheme === SCHEME);
    await vscode.commands.executeCommand('mew.showDiff', { hunk: hunk?.id });
    await inDiff();
    const side = await openField(scene);
    assert.equal(side.field.title, 'Prompt about greet.py');
    await close(side.closed);
    await vscode.commands.executeCommand('mew.rejectAll');
    const [addition] = await scene.hunks('new.py', 1);
    await vscode.commands.executeCommand('mew.showDiff', { hunk: addition?.id });
    await inDiff();
    const absent = await openField(scene);
    assert.equal(absent.field.title, 'Prompt');
    await close(absent.closed);
    await vscode.commands.executeCommand('mew.rejectAll');
    await scene.ended();
    await scene.end();
  });

  test('completes files, the newest first, and sends nothing by it', async () => {
    const files = { 'greet.py': GREET, 'src/green.py': '', 'a b.py': '', 'node_modules/green.js': '' };
    const scene = await Scene.begin(files, [say('Nothing.')]);
    await scene.open('greet.py');
    const { field, closed } = await openField(scene);
    const all = words(await rowsOf(field, 'say @'));
    assert.equal(all[0], 'greet.py', 'what is open comes first');
    const rows = words(await rowsOf(field, 'say @gre'));
    assert.ok(
      rows.includes('green.py  src') && !rows.some((one) => one.includes('green.js')),
      rows.join('\n'),
    );
    await rowsOf(field, 'say @srcgre');
    await accept();
    await until('the completion', () => field.text === 'say @src/green.py ');
    assert.deepEqual(words(await until('the rows', () => field.rows))[0], 'Send');
    await rowsOf(field, 'say @ab.py');
    await accept();
    await until('the name with a space', () => field.text === 'say @"a b.py" ');
    assert.deepEqual(
      words(await rowsOf(field, 'mail @zzzzqqqq')),
      ['Send'],
      'what names no file is sent as it is',
    );
    assert.equal(scene.events.length, 0);
    await close(closed);
    await scene.parts.prompt.history.keep('');
    await scene.end();
  });

  test('completes no file that git ignores, unless it is open or searches find it', async () => {
    const files = {
      'zap.py': '',
      '.gitignore': 'build/\n*.log\n',
      'build/zapped.js': '',
      'zapped.log': '',
      'zapping.log': '',
    };
    const scene = await Scene.begin(files, [say('Nothing.')]);
    const git = (...words: string[]): Buffer => execFileSync('git', words, { cwd: scene.root.fsPath });
    const offered = async (): Promise<string[]> => {
      const { field, closed } = await openField(scene);
      const rows = words(await rowsOf(field, 'say @zap')).filter((row) => row !== 'Send');
      await close(closed);
      await scene.parts.prompt.history.keep('');
      return rows.sort();
    };
    try {
      git('init', '--quiet');
      await scene.open('zapping.log');
      assert.deepEqual(await offered(), ['zap.py', 'zapping.log']);
      await withSetting('search.useIgnoreFiles', false, async () => {
        assert.deepEqual(await offered(), ['zap.py', 'zapped.js  build', 'zapped.log', 'zapping.log']);
      });
    } finally {
      for (const file of ['.git', '.gitignore', 'build', 'zap.py', 'zapped.log', 'zapping.log']) {
        fs.rmSync(scene.uri(file).fsPath, { recursive: true, force: true });
      }
      await scene.end();
    }
  });

  test('completes symbols of a file and of the workspace with their lines', async () => {
    const scene = await Scene.begin({ 'greet.py': GREET }, [say('Nothing.')]);
    const range = new vscode.Range(4, 0, 5, 16);
    const uri = scene.uri('greet.py');
    const providers = [
      vscode.languages.registerDocumentSymbolProvider(
        { pattern: '**/greet.py' },
        {
          provideDocumentSymbols: () => [
            new vscode.DocumentSymbol('part', '', vscode.SymbolKind.Function, range, range),
          ],
        },
      ),
      vscode.languages.registerWorkspaceSymbolProvider({
        provideWorkspaceSymbols: () => [
          new vscode.SymbolInformation(
            'part',
            vscode.SymbolKind.Function,
            '',
            new vscode.Location(uri, range),
          ),
        ],
      }),
    ];
    const { field, closed } = await openField(scene);
    for (const typed of ['see @greet.py:pa', 'see @#par']) {
      const [row] = await rowsOf(field, typed);
      assert.equal(row?.description, 'part  greet.py:5', typed);
      await accept();
      await until('the completion', () => field.text === 'see @greet.py:5-6 ');
    }
    await close(closed);
    for (const one of providers) {
      one.dispose();
    }
    await scene.parts.prompt.history.keep('');
    await scene.end();
  });

  test('carries out what the server offers, with the words behind it', async () => {
    const scene = await Scene.begin({ 'greet.py': GREET }, [say('It greets.')]);
    const editor = await scene.open('greet.py');
    editor.selection = new vscode.Selection(0, 0, 2, 0);
    const seen = sent(scene);
    const { field, closed } = await openField(scene);
    const offers = words(await rowsOf(field, '/'));
    assert.ok(
      offers.includes('/explain  Explain the selection') &&
        offers.includes('/write-tests  Write tests for the selection'),
      offers.join('\n'),
    );
    await rowsOf(field, '/expl');
    await accept();
    await until('the completion', () => field.text === '/explain ');
    assert.equal(scene.events.length, 0);
    const [row] = await rowsOf(field, '/explain for a child');
    assert.equal(row?.description, '/explain  Explain the selection');
    await accept();
    await closed;
    await scene.ended();
    assert.match(
      String(seen.argument['text']),
      /^Explain the selection in greet\.py, lines 1-2.*\n\nfor a child$/s,
    );
    seen.restore();
    await scene.end();
  });

  test('keeps what was typed until it is sent, and offers earlier prompts', async () => {
    const scene = await Scene.begin({}, [say('One.')]);
    const { history } = scene.parts.prompt;
    await history.keep('');
    const first = await openField(scene);
    await rowsOf(first.field, 'half a tho');
    await close(first.closed);
    const second = await openField(scene);
    assert.equal(second.field.text, 'half a tho');
    await rowsOf(second.field, 'a whole thought');
    await accept();
    await second.closed;
    await scene.ended();
    const third = await openField(scene);
    assert.equal(third.field.text, '');
    assert.equal(words(await until('the rows', () => third.field.rows))[0], 'a whole thought');
    await accept();
    await until('the earlier prompt', () => third.field.text === 'a whole thought');
    await close(third.closed);
    await history.keep('');
    await scene.end();
  });

  test('is sent without a field when words are given', async () => {
    const scene = await Scene.begin({}, [say('One.')]);
    const started = await vscode.commands.executeCommand<Started>('mew.prompt', { text: 'hello' });
    await scene.ended();
    assert.equal(started.session, scene.events[0]?.session);
    assert.equal(scene.parts.prompt.field, undefined);
    await scene.end();
  });

  test('keeps the words when they cannot be sent', async () => {
    const scene = await Scene.begin({}, [say('Nothing.')]);
    const { server, prompt } = scene.parts;
    const { field, closed } = await openField(scene);
    await rowsOf(field, 'precious words');
    await server.stop();
    await accept();
    await closed;
    assert.equal(prompt.history.draft, 'precious words');
    await vscode.commands.executeCommand('mew.prompt');
    assert.equal(prompt.field, undefined, 'without a server there is no field');
    assert.equal(await vscode.commands.executeCommand('mew.prompt', { text: 'x' }), undefined);
    await server.start();
    await prompt.history.keep('');
    await scene.end();
  });
});
