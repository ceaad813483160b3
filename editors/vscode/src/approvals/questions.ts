// All questions that wait, as the server told them last, and answering them. Shows nothing.

import * as vscode from 'vscode';
import type { Approval, PendingResult } from '../protocol.ts';
import { PENDING } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';

export class Questions implements vscode.Disposable {
  #waiting: readonly Approval[] = [];
  /** Counts what was told, so that an older list never replaces a newer one. */
  #told = 0;
  readonly #connection: Connection;
  readonly #changed = new vscode.EventEmitter<readonly Approval[]>();

  /** The questions that wait now. */
  readonly onDidChange = this.#changed.event;

  constructor(connection: Connection) {
    this.#connection = connection;
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

  find(id: string): Approval | undefined {
    return this.#waiting.find((one) => one.id === id);
  }

  /** Asks the server what waits: it may have been asked before this window listened. */
  async fetch(): Promise<void> {
    const told = this.#told;
    const { approvals } = await this.#connection.request<PendingResult>(PENDING, {});
    if (told === this.#told) {
      this.#set(approvals);
    }
  }

  /** Gives the answer in a few words. Whether it counts is the server's word: somebody else may have been quicker. */
  async answer(id: string, answer: string, feedback?: string): Promise<string> {
    const argument = { id, answer, ...(feedback === undefined ? {} : { feedback }) };
    const { answered } = await this.#connection.execute<{ answered: string }>(
      'mewcode.approval.answer',
      argument,
    );
    return answered;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #set(approvals: readonly Approval[]): void {
    this.#told++;
    if (approvals.length > 0 || this.#waiting.length > 0) {
      this.#waiting = approvals;
      this.#changed.fire(approvals);
    }
  }
}
