// Where the undecided hunks stand now: as the server told, carried through what the user has typed since. Draws nothing.

import * as vscode from 'vscode';
import { carryAll, changeOf, type Change } from './carry.ts';
import type { DocumentHunks, Hunks } from './hunks.ts';
import { inOrder, type Placed, type Stop } from './order.ts';

/** How many changes are remembered of a document, for a list that comes late. */
const REMEMBERED = 200;

interface Changes {
  /** Of the document, after them. */
  version: number;
  changes: readonly Change[];
}

export class Places implements vscode.Disposable {
  readonly #hunks: Hunks;
  readonly #placed = new Map<string, readonly Placed[]>();
  readonly #changes = new Map<string, Changes[]>();
  readonly #told = new vscode.EventEmitter<vscode.Uri>();
  readonly #listening: vscode.Disposable;

  /** The hunks of this document were told anew. Not when they only moved with the text. */
  readonly onDidTell = this.#told.event;

  constructor(hunks: Hunks) {
    this.#hunks = hunks;
    this.#listening = vscode.Disposable.from(
      hunks.onDidChange((uri) => {
        this.#place(uri);
        this.#told.fire(uri);
      }),
      vscode.workspace.onDidChangeTextDocument((event) => {
        this.#carry(event);
      }),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => {
        this.#place(uri);
        this.#told.fire(uri);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#changes.delete(uri.toString());
        this.#place(uri);
        this.#told.fire(uri);
      }),
      this.#told,
    );
  }

  /** The hunks of a document, in the order of their lines. */
  of(uri: vscode.Uri): readonly Placed[] {
    return this.#placed.get(uri.toString()) ?? [];
  }

  find(id: string): { uri: vscode.Uri; placed: Placed } | undefined {
    const document = this.#hunks.find(id)?.document;
    const placed = document && this.of(document.uri).find(({ hunk }) => hunk.id === id);
    return placed && { uri: document.uri, placed };
  }

  /** All of all documents, in their order. */
  stops(): Stop[] {
    return inOrder(
      this.#hunks.all().flatMap(({ uri }) => this.of(uri).map((placed) => ({ uri: uri.toString(), placed }))),
    );
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #place(uri: vscode.Uri): void {
    const told = this.#hunks.of(uri);
    if (!told) {
      this.#placed.delete(uri.toString());
      return;
    }
    const since = this.#since(told);
    const placed = told.hunks.map((hunk) => {
      const lines = { first: hunk.startLine, last: hunk.endLine };
      return { hunk, ...since.reduce((at, { changes }) => carryAll(at, changes), lines) };
    });
    this.#placed.set(uri.toString(), placed);
  }

  /** What happened to the document after the version that the lines speak of. */
  #since({ uri, version }: DocumentHunks): readonly Changes[] {
    const changes = this.#changes.get(uri.toString()) ?? [];
    return version === undefined ? [] : changes.filter((one) => one.version > version);
  }

  #carry({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const key = document.uri.toString();
    if (contentChanges.length === 0 || !/^(file|untitled)$/.test(document.uri.scheme)) {
      return;
    }
    const changes = contentChanges.map(({ range, text }) => changeOf(range, text));
    const known = this.#changes.get(key) ?? [];
    known.push({ version: document.version, changes });
    this.#changes.set(key, known.slice(-REMEMBERED));
    const placed = this.#placed.get(key);
    if (placed) {
      this.#placed.set(
        key,
        placed.map((one) => ({ ...one, ...carryAll(one, changes) })),
      );
    }
  }
}
