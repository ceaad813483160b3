// Questions as read-only documents, in which long ones can be read wholly. Nothing can be answered there: a document that is
// looked at by chance allows nothing.

import * as vscode from 'vscode';
import type { Approval } from '../protocol.ts';
import type { Questions } from './questions.ts';
import { wholeText } from './whole.ts';

export const SCHEME = 'mewcode-question';
/** By this name the document is of a language whose long lines are wrapped: the end of a command must not be out of sight. */
const NAME = 'MewCode Question';

export class QuestionDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #questions: Questions;
  /** Of the questions that were shown, for those that are still looked at when they have gone. */
  readonly #shown = new Map<string, Approval>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #own: vscode.Disposable[];

  readonly onDidChange = this.#changed.event;

  constructor(questions: Questions) {
    this.#questions = questions;
    this.#own = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      questions.onDidChange(() => {
        for (const id of this.#shown.keys()) {
          this.#changed.fire(uriOf(id));
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === SCHEME) {
          this.#shown.delete(idOf(uri));
        }
      }),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const id = idOf(uri);
    const waiting = this.#questions.find(id);
    if (waiting) {
      this.#shown.set(id, waiting);
      return `${wholeText(waiting)}\nIt waits for your answer: run the command “MewCode: Answer a Question…”.\n`;
    }
    const shown = this.#shown.get(id);
    return `This question does not wait any more.\n${shown ? `\n${wholeText(shown)}` : ''}`;
  }

  /** Opens a question. `preserveFocus`: beside what has the keyboard now. */
  async show(id: string, preserveFocus: boolean): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uriOf(id));
    await vscode.window.showTextDocument(document, { preserveFocus, preview: true });
  }

  dispose(): void {
    for (const one of this.#own) {
      one.dispose();
    }
    this.#changed.dispose();
  }
}

function uriOf(id: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${NAME}`, query: id });
}

function idOf(uri: vscode.Uri): string {
  return uri.query;
}
