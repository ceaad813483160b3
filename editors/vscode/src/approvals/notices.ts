// One notification a question, shown when it comes and withdrawn when it goes, wherever it was answered. It takes no focus and
// allows nothing: its link shows the question. A notification of progress, because no other kind can be withdrawn.

import * as vscode from 'vscode';
import type { Approval } from '../protocol.ts';
import { cut, line } from '../ui/literal.ts';
import { plainProgress } from '../ui/plain.ts';
import type { Questions } from './questions.ts';

/** VS Code shows three at once; the next ones come when these go. */
const MOST = 3;
const LONGEST = 160;

export class Notices implements vscode.Disposable {
  /** What ends the notification of a question. */
  readonly #shown = new Map<string, () => void>();
  readonly #listening: vscode.Disposable;

  constructor(questions: Questions) {
    this.#listening = questions.onDidChange((waiting) => {
      this.#update(waiting);
    });
  }

  /** The questions that are told of now. */
  get shown(): string[] {
    return [...this.#shown.keys()];
  }

  dispose(): void {
    this.#listening.dispose();
    this.#update([]);
  }

  #update(waiting: readonly Approval[]): void {
    for (const [id, end] of this.#shown) {
      if (!waiting.some((one) => one.id === id)) {
        this.#shown.delete(id);
        end();
      }
    }
    for (const approval of waiting) {
      if (!this.#shown.has(approval.id) && this.#shown.size < MOST) {
        this.#show(approval);
      }
    }
  }

  #show(approval: Approval): void {
    const gone = new Promise<void>((resolve) => this.#shown.set(approval.id, resolve));
    // It is shown in the status bar too, once the notifications are hidden.
    const words = plainProgress(cut(line(approval.title), LONGEST), Infinity);
    const link = `command:mew.approve?${encodeURIComponent(JSON.stringify([{ id: approval.id }]))}`;
    void vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: `[Answer…](${link} "Shows the question and its answers") MewCode asks: ${words}`,
      },
      () => gone,
    );
  }
}
