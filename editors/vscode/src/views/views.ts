// The three views of the side bar: what they show follows the stores, and the badge counts what waits for an answer.

import * as vscode from 'vscode';
import type { Questions } from '../approvals/questions.ts';
import type { Hunks } from '../review/hunks.ts';
import { count } from '../ui/literal.ts';
import { hunkNodes } from './hunk-tree.ts';
import { questionNodes } from './question-tree.ts';
import { sessionNodes } from './session-tree.ts';
import type { Sessions } from './sessions.ts';
import { Tree } from './tree.ts';

export class Views implements vscode.Disposable {
  readonly questions = new Tree('mewcode.questions');
  readonly hunks = new Tree('mewcode.hunks');
  readonly sessions = new Tree('mewcode.sessions');
  /** The hunks are drawn once for a burst of changes. */
  #drawing = false;
  readonly #listening: vscode.Disposable[];

  constructor(questions: Questions, hunks: Hunks, sessions: Sessions) {
    this.#listening = [
      questions.onDidChange((waiting) => {
        this.questions.show(questionNodes(waiting));
        this.questions.badge =
          waiting.length === 0
            ? undefined
            : { value: waiting.length, tooltip: `${count(waiting.length, 'question')} for you` };
      }),
      hunks.onDidChange(() => {
        if (!this.#drawing) {
          this.#drawing = true;
          setImmediate(() => {
            this.#drawing = false;
            this.#drawHunks(hunks);
          });
        }
      }),
      sessions.onDidChange((all) => {
        this.sessions.show(sessionNodes(all));
        // A view that is opened with words in place of its rows leaves the focus on them, and they go when the rows come.
        void vscode.commands.executeCommand('setContext', 'mewcode.sessions', all.length > 0);
      }),
    ];
  }

  dispose(): void {
    for (const one of [...this.#listening, this.questions, this.hunks, this.sessions]) {
      one.dispose();
    }
  }

  #drawHunks(hunks: Hunks): void {
    const files = hunks.all().map(({ uri, hunks: own }) => ({
      uri: uri.toString(),
      path: vscode.workspace.asRelativePath(uri),
      hunks: own,
    }));
    this.hunks.show(hunkNodes(files));
  }
}
