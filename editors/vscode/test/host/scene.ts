// What the tests inside VS Code share: the parts of the running extension, files and a script of their own in the one
// workspace, and waiting.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Inside } from '../../src/extension.ts';
import type { Envelope, Hunk, Mode, SessionEvent, Status } from '../../src/protocol.ts';
import { logical } from '../../src/text/logical.ts';
import { until } from '../harness/until.ts';
import type { Files, Turn } from '../harness/workspace.ts';

export { until };

/** The parts of the running extension. */
export async function inside(): Promise<Inside> {
  const extension = vscode.extensions.getExtension<Inside>('mewcode.mewcode');
  assert.ok(extension, 'the extension is installed');
  const parts = await extension.activate();
  assert.ok(parts, 'it runs as a test');
  return parts;
}

/** Leaves no run, no hunk, no unsaved text and no editor of an earlier scene, whether it ended well or not. */
async function clear({ server, hunks }: Inside): Promise<void> {
  const saving = vscode.workspace.getConfiguration('files').get('autoSave');
  assert.equal(saving, 'off', 'an earlier scene gave back the settings');
  await server.execute('mewcode.cancel', {});
  await server.execute('mewcode.review.reject', { all: true });
  await until('no hunk of an earlier scene', () => hunks.all().length === 0);
  // Not the settings, which VS Code itself edits and saves.
  const own = vscode.workspace.textDocuments.filter(
    ({ uri, isUntitled }) => isUntitled || vscode.workspace.getWorkspaceFolder(uri),
  );
  for (const document of own.filter(({ isDirty }) => isDirty)) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

/** A session with files and a script of its own. */
export class Scene {
  readonly parts: Inside;
  readonly events: Envelope[] = [];
  status: Status | undefined;
  readonly #listening: vscode.Disposable[];

  private constructor(parts: Inside) {
    this.parts = parts;
    this.#listening = [
      parts.server.onEvent((event) => this.events.push(event)),
      parts.server.onStatus((status) => (this.status = status)),
    ];
  }

  /** Takes away what an earlier scene left, writes the files, and begins a session that plays the turns. */
  static async begin(files: Files, turns: readonly Turn[], mode: Mode = 'default'): Promise<Scene> {
    const parts = await inside();
    await until('the server', () => parts.server.phase === 'running');
    await clear(parts);
    const scene = new Scene(parts);
    for (const [file, text] of Object.entries(files)) {
      scene.write(file, text);
    }
    scene.write('turns.yaml', JSON.stringify({ turns }));
    await scene.#isSeen(files);
    await parts.server.execute('mewcode.reloadConfig', {});
    await parts.server.execute('mewcode.newSession', {});
    await parts.server.execute('mewcode.setMode', { mode });
    return scene;
  }

  /** VS Code keeps documents for a while when their editors are closed: those of these files must have the new text. */
  async #isSeen(files: Files): Promise<void> {
    for (const [file, text] of Object.entries(files)) {
      const uri = this.uri(file).toString();
      await until(`VS Code to see what ${file} is now`, () => {
        const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri);
        return document === undefined || logical(document.getText()) === logical(text);
      });
    }
  }

  get root(): vscode.Uri {
    const folder = vscode.workspace.workspaceFolders?.[0];
    assert.ok(folder);
    return folder.uri;
  }

  uri(file: string): vscode.Uri {
    return vscode.Uri.joinPath(this.root, file);
  }

  write(file: string, text: string): void {
    const target = this.uri(file).fsPath;
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, text);
  }

  disk(file: string): string {
    return fs.readFileSync(this.uri(file).fsPath, 'utf8');
  }

  exists(file: string): boolean {
    return fs.existsSync(this.uri(file).fsPath);
  }

  /** Opens a file in an editor. */
  async open(file: string): Promise<vscode.TextEditor> {
    return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(this.uri(file)));
  }

  async prompt(text: string): Promise<void> {
    await this.parts.server.execute('mewcode.prompt', { text });
  }

  /** The hunks of a file, when there are so many. */
  async hunks(file: string, count: number): Promise<readonly Hunk[]> {
    return until(`${count} hunks in ${file}`, () => {
      const hunks = this.parts.hunks.of(this.uri(file))?.hunks ?? [];
      return hunks.length === count && hunks;
    });
  }

  /** Waits for the end of the run, which must be this. */
  async ended(outcome: Extract<SessionEvent, { kind: 'run_ended' }>['outcome'] = 'done'): Promise<void> {
    const event = await until('the end of the run', () => {
      const last = this.events.at(-1)?.event;
      return last?.kind === 'run_ended' && last;
    });
    assert.equal(event.outcome, outcome, event.message);
  }

  /** Ends what the scene listens to, and saves nothing. */
  async end(): Promise<void> {
    for (const one of this.#listening) {
      one.dispose();
    }
    await this.parts.server.execute('mewcode.cancel', {}).catch(() => undefined);
    while (vscode.window.activeTextEditor) {
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
  }
}
