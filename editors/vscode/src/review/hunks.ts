// All undecided hunks, as the server told them last. Shows nothing.

import * as vscode from 'vscode';
import type { Hunk, PendingResult, ReviewParams } from '../protocol.ts';
import { PENDING } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';

export interface DocumentHunks {
  uri: vscode.Uri;
  /** The version that the lines speak of; undefined while the document is not open. */
  version: number | undefined;
  /** In the order of their lines. */
  hunks: readonly Hunk[];
}

export class Hunks implements vscode.Disposable {
  readonly #documents = new Map<string, DocumentHunks>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #connection: Connection;

  /** The hunks of this document are others now. */
  readonly onDidChange = this.#changed.event;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.onReview((params) => {
      this.#take(params);
    });
    connection.onDidChangePhase((phase) => {
      if (phase !== 'running') {
        this.#clear();
      }
    });
  }

  of(uri: vscode.Uri): DocumentHunks | undefined {
    return this.#documents.get(uri.toString());
  }

  /** Those with hunks, by URI. */
  all(): DocumentHunks[] {
    return [...this.#documents.values()].sort((a, b) => (a.uri.toString() < b.uri.toString() ? -1 : 1));
  }

  find(id: string): { document: DocumentHunks; hunk: Hunk } | undefined {
    for (const document of this.#documents.values()) {
      const hunk = document.hunks.find((one) => one.id === id);
      if (hunk) {
        return { document, hunk };
      }
    }
    return undefined;
  }

  /** Asks the server for all hunks: some may have been told before this window listened. What is told meanwhile is newer. */
  async fetch(): Promise<void> {
    const told = new Set<string>();
    const listening = this.#connection.onReview(({ uri }) => told.add(uri));
    try {
      const { hunks } = await this.#connection.request<PendingResult>(PENDING, {});
      for (const uri of new Set(hunks.map((hunk) => hunk.uri))) {
        if (!told.has(uri) && !this.of(this.#connection.toUri(uri))) {
          this.#take({ uri, version: null, hunks: hunks.filter((hunk) => hunk.uri === uri) });
        }
      }
    } finally {
      listening.dispose();
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #take({ uri, version, hunks }: ReviewParams): void {
    const own = this.#connection.toUri(uri);
    if (hunks.length > 0) {
      this.#documents.set(own.toString(), { uri: own, version: version ?? undefined, hunks });
    } else {
      this.#documents.delete(own.toString());
    }
    this.#changed.fire(own);
  }

  #clear(): void {
    const gone = this.all();
    this.#documents.clear();
    for (const { uri } of gone) {
      this.#changed.fire(uri);
    }
  }
}
