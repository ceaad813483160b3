// mewcode/checksum: does the server hold the text that VS Code holds? Where not, it is given the text. Asked after each edit, before
// prompts, and after a rest. What was compared once is not compared again. Changes no document.

import * as vscode from 'vscode';
import type { ChecksumParams, ChecksumResult } from '../protocol.ts';
import { CHECKSUM } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import { isSynchronised } from './documents.ts';
import { hash } from './logical.ts';

const REST_MILLISECONDS = 2000;
/** In UTF-16 units. Longer texts are compared only before prompts and where they are known to differ. */
const LONG = 1_000_000;
/** A prompt waits no longer for the answer: the server checks again by itself. */
const PATIENCE_MILLISECONDS = 1000;

export class Checksums implements vscode.Disposable {
  readonly #connection: Connection;
  /** The version at which the server agreed. */
  #agreed = new WeakMap<vscode.TextDocument, number>();
  readonly #resting = new Map<vscode.TextDocument, NodeJS.Timeout>();
  readonly #listening: vscode.Disposable[];

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#listening = [
      connection.onDidChangePhase(() => {
        this.#agreed = new WeakMap();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && isSynchronised(document)) {
          this.#rest(document);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.#stir(document);
      }),
    ];
  }

  /**
   * Waits until the server holds what the document holds now; it is given the text if it holds another. Everything that was
   * sent to the server before is there then.
   */
  async settle(document: vscode.TextDocument): Promise<void> {
    if (this.#connection.phase !== 'running' || !isSynchronised(document)) {
      return;
    }
    if (!(await this.#compare(document, false))) {
      await this.tell(document);
    }
  }

  /**
   * Waits until everything that the document sent to the server before is there. A long text is not compared for it: what the
   * language client has of it is written when the microtasks of this turn have run.
   */
  async flush(document: vscode.TextDocument): Promise<void> {
    await (isLong(document) ? new Promise(setImmediate) : this.settle(document));
  }

  /** Gives the server the whole text. */
  async tell(document: vscode.TextDocument): Promise<void> {
    if (this.#connection.phase === 'running' && isSynchronised(document)) {
      await this.#compare(document, true);
    }
  }

  /** Before a prompt about these documents: compares what was not compared yet, and does not wait for long. */
  async verify(documents: readonly vscode.TextDocument[]): Promise<void> {
    const open = documents.filter((document) => this.#agreed.get(document) !== document.version);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MILLISECONDS);
    });
    await Promise.race([patience, Promise.allSettled(open.map((document) => this.settle(document)))]);
    clearTimeout(timer);
  }

  dispose(): void {
    for (const timer of this.#resting.values()) {
      clearTimeout(timer);
    }
    this.#resting.clear();
    for (const one of this.#listening) {
      one.dispose();
    }
  }

  async #compare(document: vscode.TextDocument, withText: boolean): Promise<boolean> {
    const params: ChecksumParams = {
      uri: this.#connection.fromUri(document.uri),
      version: document.version,
      sha256: hash(document),
    };
    if (withText) {
      params.text = document.getText();
    }
    const { match } = await this.#connection.request<ChecksumResult>(CHECKSUM, params);
    if (match) {
      this.#agreed.set(document, params.version);
    }
    return match;
  }

  #rest(document: vscode.TextDocument): void {
    this.#stir(document);
    const timer = setTimeout(() => {
      this.#resting.delete(document);
      if (!isLong(document) && this.#agreed.get(document) !== document.version) {
        // Nobody waits for it: a text that cannot be compared now is compared before it matters.
        this.settle(document).catch(() => undefined);
      }
    }, REST_MILLISECONDS);
    this.#resting.set(document, timer);
  }

  #stir(document: vscode.TextDocument): void {
    clearTimeout(this.#resting.get(document));
    this.#resting.delete(document);
  }
}

function isLong(document: vscode.TextDocument): boolean {
  return document.offsetAt(document.lineAt(document.lineCount - 1).range.end) > LONG;
}
