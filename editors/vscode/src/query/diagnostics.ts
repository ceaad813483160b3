// What everybody but our server says is wrong, and whether anybody has said something of a document's present text. Shows
// nothing.

import * as vscode from 'vscode';
import type { QueryDiagnostic } from '../protocol.ts';
import { documentAt } from '../text/documents.ts';
import { diagnosticOf } from './answers.ts';

/** The source of what our own server publishes: hunks, which are nothing wrong. */
const OWN_SOURCE = 'mewcode';

interface Heard {
  /** The version of the document at which others spoke of it last. */
  version: number;
  said: string;
}

export class OthersDiagnostics implements vscode.Disposable {
  readonly #heard = new Map<string, Heard>();
  /** Languages of which others ever said something: only there is it worth to wait for more. */
  readonly #watched = new Set<string>();
  readonly #spoke = new vscode.EventEmitter<string>();
  readonly #listening: vscode.Disposable;

  constructor() {
    this.#listening = vscode.Disposable.from(
      this.#spoke,
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris) {
          this.#changed(uri);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.#heard.delete(document.uri.toString());
      }),
    );
  }

  /** Of one document. */
  of(uri: vscode.Uri): QueryDiagnostic[] {
    return vscode.languages
      .getDiagnostics(uri)
      .filter(({ source }) => source !== OWN_SOURCE)
      .map(diagnosticOf);
  }

  /** Of all documents that have any. */
  all(): { uri: vscode.Uri; diagnostics: QueryDiagnostic[] }[] {
    return vscode.languages.getDiagnostics().map(([uri]) => ({ uri, diagnostics: this.of(uri) }));
  }

  /** Waits until others have spoken of the document's present text, or the time is over. */
  async settled(document: vscode.TextDocument, milliseconds: number): Promise<void> {
    const uri = document.uri.toString();
    const isHeard = (): boolean => this.#heard.get(uri)?.version === document.version;
    if (!this.#watched.has(document.languageId) || isHeard()) {
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, milliseconds);
      const listening = this.#spoke.event((spoken) => {
        if (spoken === uri) {
          done();
        }
      });
      function done(): void {
        clearTimeout(timer);
        listening.dispose();
        resolve();
      }
    });
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #changed(uri: vscode.Uri): void {
    const document = documentAt(uri);
    if (!document) {
      return;
    }
    const key = uri.toString();
    const found = this.of(uri);
    if (found.length > 0) {
      this.#watched.add(document.languageId);
    }
    // The event does not tell who spoke: what our own server says changes nothing of this.
    const said = JSON.stringify(found);
    if (said !== (this.#heard.get(key)?.said ?? '[]')) {
      this.#heard.set(key, { version: document.version, said });
      this.#spoke.fire(key);
    }
  }
}
