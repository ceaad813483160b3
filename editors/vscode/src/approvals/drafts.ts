// What was typed for an answer and not sent, for as long as its question waits. Shows nothing.

import type * as vscode from 'vscode';
import type { Questions } from './questions.ts';

/** The words are the answer, or go with a refusal. */
type Purpose = 'answer' | 'refusal';

export class Drafts implements vscode.Disposable {
  readonly #texts = new Map<string, Map<Purpose, string>>();
  readonly #listening: vscode.Disposable;

  constructor(questions: Questions) {
    this.#listening = questions.onDidChange(() => {
      for (const id of this.#texts.keys()) {
        if (!questions.find(id)) {
          this.#texts.delete(id);
        }
      }
    });
  }

  of(id: string, purpose: Purpose): string {
    return this.#texts.get(id)?.get(purpose) ?? '';
  }

  keep(id: string, purpose: Purpose, text: string): void {
    const texts = this.#texts.get(id) ?? new Map<Purpose, string>();
    this.#texts.set(id, texts.set(purpose, text));
  }

  dispose(): void {
    this.#listening.dispose();
  }
}
