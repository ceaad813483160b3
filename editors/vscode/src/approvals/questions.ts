// All questions that wait, as the server told them last. Shows nothing.

import * as vscode from 'vscode';
import type { Approval } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';

export class Questions implements vscode.Disposable {
  #waiting: readonly Approval[] = [];
  readonly #changed = new vscode.EventEmitter<readonly Approval[]>();

  /** The questions that wait now. */
  readonly onDidChange = this.#changed.event;

  constructor(connection: Connection) {
    connection.onApproval(({ approvals }) => {
      this.#set(approvals);
    });
    connection.onDidChangePhase((phase) => {
      if (phase !== 'running') {
        this.#set([]);
      }
    });
  }

  /** Oldest first. */
  get waiting(): readonly Approval[] {
    return this.#waiting;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #set(approvals: readonly Approval[]): void {
    if (approvals.length > 0 || this.#waiting.length > 0) {
      this.#waiting = approvals;
      this.#changed.fire(approvals);
    }
  }
}
