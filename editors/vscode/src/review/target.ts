// Which hunk or document a command is about: the one that a view, a thread or a diff names, else the one at the cursor. Keeps the
// contexts `mewcode.hunks` and `mewcode.onHunk` for keys and menus.

import * as vscode from 'vscode';
import type { Blocks } from './blocks.ts';
import type { Diffs } from './diff.ts';
import type { Hunks } from './hunks.ts';
import { hunkAt, type Placed } from './order.ts';
import type { Places } from './places.ts';

export interface Target {
  uri: vscode.Uri;
  placed: Placed;
}

export class Targets implements vscode.Disposable {
  readonly #places: Places;
  readonly #blocks: Blocks;
  readonly #diffs: Diffs;
  readonly #listening: vscode.Disposable;
  readonly #contexts = new Map<string, boolean>();
  /** When VS Code knows of each context what it is. */
  readonly #known = new Map<string, Thenable<unknown>>();
  /** Counts the looks at the cursor, so that a late answer to an older one is dropped. */
  #looks = 0;
  #newest: Promise<void> = Promise.resolve();

  constructor(hunks: Hunks, places: Places, blocks: Blocks, diffs: Diffs) {
    this.#places = places;
    this.#blocks = blocks;
    this.#diffs = diffs;
    this.#listening = vscode.Disposable.from(
      places.onDidTell(() => {
        void this.#set('mewcode.hunks', hunks.all().length > 0);
        void this.look();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) {
          void this.look();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        void this.look();
      }),
    );
  }

  /** What the contexts are. */
  get contexts(): ReadonlyMap<string, boolean> {
    return this.#contexts;
  }

  /** The hunk that a command is about. `argument`: what VS Code or another part gave it. */
  async hunk(argument?: unknown): Promise<Target | undefined> {
    const id = this.#named(argument);
    if (id !== undefined) {
      const found = this.#places.find(id);
      if (!found) {
        throw new Error('this hunk was decided meanwhile.');
      }
      return found;
    }
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      return undefined;
    }
    const { uri } = editor.document;
    const line = editor.selection.active.line;
    const subject = this.#diffs.subjectOf(uri);
    const placed = subject ? await this.#diffs.hunkAt(uri, line) : hunkAt(this.#places.of(uri), line);
    return placed && { uri: subject?.uri ?? uri, placed };
  }

  /** The document that a command is about. */
  document(argument?: unknown): vscode.Uri | undefined {
    const given =
      argument instanceof vscode.Uri
        ? argument
        : typeof argument === 'object' && argument !== null && 'uri' in argument
          ? argument.uri
          : undefined;
    if (typeof given === 'string') {
      return vscode.Uri.parse(given, true);
    }
    const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
    return uri && (this.#diffs.subjectOf(uri)?.uri ?? uri);
  }

  /** Looks where the cursor is, and ends when the keys know it, whoever told them. */
  look(): Promise<void> {
    this.#newest = this.#look(++this.#looks);
    return this.#newest;
  }

  dispose(): void {
    this.#listening.dispose();
  }

  async #look(look: number): Promise<void> {
    const found = await this.hunk();
    await (look === this.#looks ? this.#set('mewcode.onHunk', found !== undefined) : this.#newest);
  }

  #named(argument: unknown): string | undefined {
    if (typeof argument !== 'object' || argument === null) {
      return undefined;
    }
    if ('hunk' in argument && typeof argument.hunk === 'string') {
      return argument.hunk;
    }
    return this.#blocks.hunkOf(argument);
  }

  async #set(name: string, value: boolean): Promise<void> {
    if (this.#contexts.get(name) !== value) {
      this.#contexts.set(name, value);
      this.#known.set(name, vscode.commands.executeCommand('setContext', name, value));
    }
    await this.#known.get(name);
  }
}
