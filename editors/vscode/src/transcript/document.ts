// Transcripts as text: read-only documents `mewcode://session/<id>.md`, with links to the files that they name.

import * as vscode from 'vscode';
import * as files from './files.ts';
import { linksIn } from './links.ts';
import type { Transcripts } from './store.ts';

export const SCHEME = 'mewcode';
const AUTHORITY = 'session';

/** A longer text has as many links. */
const MOST_LINKS = 1000;

export function uriOf(session: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, authority: AUTHORITY, path: `/${session}.md` });
}

/** Whose transcript a document is. */
function sessionOf(uri: vscode.Uri): string | undefined {
  const session = /^\/([^/]+)\.md$/.exec(uri.path)?.[1];
  return uri.scheme === SCHEME && uri.authority === AUTHORITY ? session : undefined;
}

export class TranscriptDocuments
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable
{
  readonly #transcripts: Transcripts;
  readonly #held = new Map<string, vscode.Disposable>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #kept: { dispose(): unknown }[];

  readonly onDidChange = this.#changed.event;

  constructor(transcripts: Transcripts) {
    this.#transcripts = transcripts;
    this.#kept = [
      this.#changed,
      transcripts.onDidChange(({ session }) => {
        if (this.#held.has(session)) {
          this.#changed.fire(uriOf(session));
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        const session = sessionOf(uri) ?? '';
        this.#held.get(session)?.dispose();
        this.#held.delete(session);
      }),
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, this),
    ];
  }

  async open(session: string | undefined): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uriOf(await this.#transcripts.find(session)));
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: false });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const session = sessionOf(uri);
    if (session === undefined) {
      throw new Error(`${uri.toString()} is no transcript.`);
    }
    if (!this.#held.has(session)) {
      this.#held.set(session, this.#transcripts.hold(session));
      await this.#transcripts.settled(session);
    }
    const shown = this.#transcripts.get(session);
    const note = shown?.note ? `\n*${shown.note}*\n` : '';
    return `${shown?.text ?? ''}${note}`;
  }

  async provideDocumentLinks(document: vscode.TextDocument): Promise<vscode.DocumentLink[]> {
    const known = new Map<string, Promise<vscode.Uri | undefined>>();
    const links = linksIn(document.getText(), MOST_LINKS).map(async ({ start, end, target }) => {
      const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
      if (target.kind === 'web') {
        return new vscode.DocumentLink(range, vscode.Uri.parse(target.url, true));
      }
      let found = known.get(target.path);
      if (!found) {
        found = files.find(target);
        known.set(target.path, found);
      }
      const uri = await found;
      const place = target.line === undefined ? '' : `L${target.line}`;
      return uri && new vscode.DocumentLink(range, uri.with({ fragment: place }));
    });
    return (await Promise.all(links)).filter((link) => link !== undefined);
  }

  dispose(): void {
    for (const one of [...this.#kept, ...this.#held.values()]) {
      one.dispose();
    }
  }
}
