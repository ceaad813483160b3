// mewcode/held: tells the server which files VS Code holds in another form than a document, whenever that changes.

import * as fs from 'node:fs';
import * as vscode from 'vscode';
import type { HeldFile, HeldParams } from '../protocol.ts';
import { HELD } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import { isSynchronised } from '../text/documents.ts';
import { heldFiles, type Shown } from './held.ts';

export class Holding implements vscode.Disposable {
  readonly #connection: Connection;
  readonly #listening: vscode.Disposable[];
  #files: HeldFile[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
    const look = (): void => {
      this.#look();
    };
    this.#listening = [
      vscode.window.tabGroups.onDidChangeTabs(look),
      vscode.workspace.onDidOpenTextDocument(look),
      vscode.workspace.onDidCloseTextDocument(look),
      vscode.workspace.onDidChangeNotebookDocument(look),
      vscode.workspace.onDidCloseNotebookDocument(look),
      connection.onDidChangePhase(() => {
        // Another server knows nothing of it.
        this.#files = [];
        this.#look();
      }),
    ];
  }

  /** What the server was told. */
  get files(): readonly HeldFile[] {
    return this.#files;
  }

  dispose(): void {
    for (const one of this.#listening) {
      one.dispose();
    }
  }

  #look(): void {
    if (this.#connection.phase !== 'running') {
      return;
    }
    const files = heldFiles(
      vscode.window.tabGroups.all.flatMap((group) => group.tabs).flatMap((tab) => this.#shown(tab)),
      vscode.workspace.notebookDocuments
        .filter(({ uri, isDirty }) => uri.scheme === 'file' && isDirty)
        .map(({ uri }) => this.#connection.fromUri(uri)),
      new Set(
        vscode.workspace.textDocuments.filter(isSynchronised).map(({ uri }) => this.#connection.fromUri(uri)),
      ),
      (uri) => fs.statSync(this.#connection.toUri(uri).fsPath, { throwIfNoEntry: false })?.size ?? 0,
    );
    if (JSON.stringify(files) !== JSON.stringify(this.#files)) {
      this.#files = files;
      this.#connection.notify(HELD, { files } satisfies HeldParams);
    }
  }

  #shown({ input, isDirty }: vscode.Tab): Shown[] {
    const show = (uri: vscode.Uri, kind: Shown['kind']): Shown[] =>
      uri.scheme === 'file' ? [{ uri: this.#connection.fromUri(uri), kind, dirty: isDirty }] : [];
    if (input instanceof vscode.TabInputText) {
      return show(input.uri, 'text');
    }
    if (input instanceof vscode.TabInputTextDiff) {
      return [...show(input.original, 'text'), ...show(input.modified, 'text')];
    }
    if (input instanceof vscode.TabInputCustom) {
      return show(input.uri, 'custom');
    }
    if (input instanceof vscode.TabInputNotebook) {
      return show(input.uri, 'notebook');
    }
    if (input instanceof vscode.TabInputNotebookDiff) {
      return [...show(input.original, 'notebook'), ...show(input.modified, 'notebook')];
    }
    return [];
  }
}
