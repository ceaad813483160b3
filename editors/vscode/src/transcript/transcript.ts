// Watching runs: makes the transcripts' store, views and documents, and the commands that open them.

import * as vscode from 'vscode';
import type { Connection } from '../server/connection.ts';
import { command } from '../ui/report.ts';
import { TranscriptDocuments } from './document.ts';
import { tellEnd } from './ending.ts';
import { TranscriptPanels, VIEW_TYPE } from './panel.ts';
import { Transcripts } from './store.ts';

/** Argument of `mew.openTranscript` and `mew.openTranscriptText`. */
export interface TranscriptArguments {
  /** The server's present one if absent. */
  session?: string;
  /** Does not go there. */
  preserveFocus?: boolean;
}

export class Transcript implements vscode.Disposable {
  readonly store: Transcripts;
  readonly panels: TranscriptPanels;
  readonly documents: TranscriptDocuments;
  readonly #kept: { dispose(): unknown }[];

  constructor(connection: Connection, extension: vscode.Uri) {
    this.store = new Transcripts(connection);
    this.documents = new TranscriptDocuments(this.store);
    this.panels = new TranscriptPanels(extension, this.store, (session) => this.documents.open(session));
    const open = (given: unknown): Promise<void> => {
      const { session, preserveFocus } = read(given);
      return this.panels.open(session, preserveFocus ?? false);
    };
    connection.override('mewcode.openTranscript', open);
    this.#kept = [
      command('mew.openTranscript', open),
      command('mew.openTranscriptText', (given: unknown) => this.documents.open(read(given).session)),
      vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, this.panels),
      connection.onEvent((envelope) => {
        tellEnd(envelope, (session) => this.panels.isVisible(session));
      }),
      this.panels,
      this.documents,
      this.store,
    ];
  }

  dispose(): void {
    for (const one of this.#kept) {
      one.dispose();
    }
  }
}

/** Menus and views give what they like. */
function read(given: unknown): TranscriptArguments {
  const { session, preserveFocus } = (typeof given === 'object' && given !== null ? given : {}) as Record<
    string,
    unknown
  >;
  return {
    ...(typeof session === 'string' ? { session } : {}),
    ...(typeof preserveFocus === 'boolean' ? { preserveFocus } : {}),
  };
}
