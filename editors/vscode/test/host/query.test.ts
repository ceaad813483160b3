// What the agent asks of other extensions: providers that the test registers answer it, as other extensions do.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { OthersDiagnostics } from '../../src/query/diagnostics.ts';
import { call, say } from '../harness/turns.ts';
import { Scene, until } from './scene.ts';

const SHOP = 'é = 1\ndef price(self):\n    return 1\n';
const USES = 'import shop\nshop.price()\n';
const PLACE = { path: 'shop.py', line: 2, symbol: 'price' };
const PYTHON = [{ scheme: 'file', pattern: '**/*.py' }];

function contains(text: string): object {
  return { status: 'ok', contains: text };
}

suite('query', () => {
  const registered: { dispose(): void }[] = [];

  teardown(() => {
    for (const one of registered.splice(0)) {
      one.dispose();
    }
  });

  test('what other extensions know reaches the model, of files that are not open too', async () => {
    const turns = [
      call('definition', PLACE, contains('shop.py\n2: def price(self):')),
      call('references', PLACE, contains('uses.py\n2: shop.price()')),
      call('hover', PLACE, contains('```python\nprice: int\n```')),
      call('diagnostics', { path: 'shop.py' }, contains('2: warning: unused [test F401]')),
      call('diagnostics', {}, contains('1 warning in 1 file')),
      say('Done.'),
    ];
    const scene = await Scene.begin({ 'shop.py': SHOP, 'uses.py': USES }, turns);
    const at = (file: string): vscode.Location =>
      new vscode.Location(scene.uri(file), new vscode.Range(1, 4, 1, 9));
    const asked: vscode.Position[] = [];
    const diagnostics = vscode.languages.createDiagnosticCollection('test');
    registered.push({
      dispose: () => {
        diagnostics.dispose();
      },
    });
    const unused = new vscode.Diagnostic(
      new vscode.Range(1, 4, 1, 9),
      'unused',
      vscode.DiagnosticSeverity.Warning,
    );
    unused.source = 'test';
    unused.code = { value: 'F401', target: scene.root };
    diagnostics.set(scene.uri('shop.py'), [unused]);
    registered.push(
      vscode.languages.registerDefinitionProvider(PYTHON, {
        provideDefinition: (_, position) => {
          asked.push(position);
          return at('shop.py');
        },
      }),
      vscode.languages.registerReferenceProvider(PYTHON, {
        provideReferences: () => [at('uses.py'), at('shop.py')],
      }),
      vscode.languages.registerHoverProvider(PYTHON, {
        provideHover: () =>
          new vscode.Hover(new vscode.MarkdownString().appendCodeblock('price: int', 'python')),
      }),
    );
    await scene.prompt('look');
    await scene.ended();
    assert.deepEqual(asked, [new vscode.Position(1, 4)]);
    assert.equal(vscode.window.activeTextEditor, undefined, 'nothing is shown');
    await scene.end();
  });

  test('a renaming by another extension is a change of the agent like any other', async () => {
    const note = contains('`price` is `cost` now in 2 files.');
    const turns = [call('rename_symbol', { ...PLACE, new_name: 'cost' }, note), say('Done.')];
    const scene = await Scene.begin({ 'shop.py': SHOP, 'uses.py': USES }, turns);
    registered.push(
      vscode.languages.registerRenameProvider(PYTHON, {
        provideRenameEdits: (document, _, name) => {
          const edit = new vscode.WorkspaceEdit();
          edit.replace(document.uri, new vscode.Range(1, 4, 1, 9), name);
          edit.replace(scene.uri('uses.py'), new vscode.Range(1, 5, 1, 10), name);
          return edit;
        },
      }),
    );
    const editor = await scene.open('uses.py');
    await scene.prompt('rename it');
    const [first] = await scene.hunks('shop.py', 1);
    const [second] = await scene.hunks('uses.py', 1);
    assert.equal(editor.document.getText(), USES, 'nothing is applied before it is reviewed');
    assert.deepEqual(first?.newLines, ['def cost(self):']);
    assert.deepEqual(second?.newLines, ['shop.cost()']);
    await scene.parts.server.execute('mewcode.cancel', {});
    await scene.ended('cancelled');
    await scene.end();
  });

  test('a renaming that VS Code cannot make is told with its reason', async () => {
    const refused = (text: string): object => ({
      status: 'failed',
      error_kind: 'unavailable',
      contains: text,
    });
    const rename = { ...PLACE, new_name: 'cost' };
    const turns = [
      call('rename_symbol', rename, refused('not a name that can be changed')),
      call('rename_symbol', rename, refused('would create, rename or remove files')),
      say('Done.'),
    ];
    const scene = await Scene.begin({ 'shop.py': SHOP }, turns);
    let asked = 0;
    registered.push(
      vscode.languages.registerRenameProvider(PYTHON, {
        provideRenameEdits: (document, _, name) => {
          asked += 1;
          if (asked === 1) {
            throw new Error('not a name that can be changed');
          }
          const edit = new vscode.WorkspaceEdit();
          edit.replace(document.uri, new vscode.Range(1, 4, 1, 9), name);
          edit.renameFile(document.uri, scene.uri('cost.py'));
          return edit;
        },
      }),
    );
    await scene.prompt('rename it');
    await scene.ended();
    assert.equal(scene.disk('shop.py'), SHOP);
    await scene.end();
  });

  test('what others say of the present text is waited for, where anybody ever said something', async () => {
    const scene = await Scene.begin({ 'shop.py': SHOP, 'plain.txt': 'text\n' }, [say('Done.')]);
    const others = new OthersDiagnostics();
    const theirs = vscode.languages.createDiagnosticCollection('theirs');
    const ours = vscode.languages.createDiagnosticCollection('ours');
    for (const one of [others, theirs, ours]) {
      registered.push({
        dispose: () => {
          one.dispose();
        },
      });
    }
    const wrong = (message: string, source: string): vscode.Diagnostic => {
      const diagnostic = new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), message);
      diagnostic.source = source;
      return diagnostic;
    };
    const uri = scene.uri('shop.py');
    const editor = await scene.open('shop.py');
    // A minute is longer than a test may take: it is not waited for.
    await others.settled(editor.document, 60_000);
    theirs.set(uri, [wrong('old', 'theirs')]);
    await until('what they say', () => others.of(uri).length === 1);
    await others.settled(editor.document, 60_000);

    await editor.edit((edit) => {
      edit.insert(new vscode.Position(0, 0), '# typed\n');
    });
    let isSettled = false;
    const settling = others.settled(editor.document, 60_000).then(() => (isSettled = true));
    const told = new Promise((resolve) => registered.push(vscode.languages.onDidChangeDiagnostics(resolve)));
    ours.set(uri, [wrong('a hunk', 'mewcode')]);
    await told;
    assert.equal(isSettled, false, 'what we say ourselves does not count');
    theirs.set(uri, []);
    await settling;
    assert.deepEqual(others.of(uri), []);

    const plain = await scene.open('plain.txt');
    await others.settled(plain.document, 60_000);
    const again = await scene.open('shop.py');
    await again.edit((edit) => {
      edit.insert(new vscode.Position(0, 0), '# more\n');
    });
    await others.settled(again.document, 20);
    await scene.end();
  });
});
