// Whether a person is at the keyboard in a document: their next keys must not land elsewhere.

import * as vscode from 'vscode';

const AWAY_AFTER_MILLISECONDS = 2000;

export class Hands implements vscode.Disposable {
  #document: vscode.TextDocument | undefined;
  #moved = 0;
  readonly #listening: vscode.Disposable;

  constructor() {
    this.#listening = vscode.window.onDidChangeTextEditorSelection(({ kind, textEditor }) => {
      if (kind === vscode.TextEditorSelectionChangeKind.Keyboard) {
        this.#document = textEditor.document;
        this.#moved = Date.now();
      }
    });
  }

  /** Whether keys were pressed in this document a moment ago. */
  areIn(document: vscode.TextDocument): boolean {
    return (
      document === this.#document &&
      vscode.window.activeTextEditor?.document === document &&
      Date.now() - this.#moved < AWAY_AFTER_MILLISECONDS
    );
  }

  dispose(): void {
    this.#listening.dispose();
  }
}
