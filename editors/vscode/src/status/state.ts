// What the server last said of itself, together with what waits. Sets the contexts that menus and keys hang on; shows nothing.

import * as vscode from 'vscode';
import type { Questions } from '../approvals/questions.ts';
import type { Status } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import type { Overview } from './overview.ts';

export class StatusState implements vscode.Disposable {
  #status: Status | undefined;
  readonly #connection: Connection;
  readonly #questions: Questions;
  readonly #contexts = new Map<string, unknown>();
  readonly #changed = new vscode.EventEmitter<Overview>();

  readonly onDidChange = this.#changed.event;

  constructor(connection: Connection, questions: Questions) {
    this.#connection = connection;
    this.#questions = questions;
    connection.onStatus((status) => {
      this.#status = status;
      this.#tell();
    });
    connection.onDidChangePhase((phase) => {
      if (phase !== 'running') {
        this.#status = undefined;
      }
      this.#tell();
    });
    questions.onDidChange(() => {
      this.#tell();
    });
    this.#tell();
  }

  get overview(): Overview {
    const { phase, reason, version } = this.#connection;
    return {
      phase,
      reason,
      version,
      status: this.#status,
      questions: Math.max(this.#questions.waiting.length, this.#status?.pendingApprovals ?? 0),
    };
  }

  /** Asks what the server says only when something changes. */
  async fetch(): Promise<void> {
    const before = this.#status;
    const status = await this.#connection.execute<Status>('mewcode.status', {});
    if (this.#status === before) {
      this.#status = status;
      this.#tell();
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #tell(): void {
    const { overview } = this;
    this.#setContext('mewcode.running', (overview.status?.running ?? 0) > 0);
    this.#setContext('mewcode.questions', overview.questions > 0);
    this.#setContext('mewcode.trusted', overview.status?.trusted ?? true);
    this.#changed.fire(overview);
  }

  #setContext(key: string, value: boolean): void {
    if (this.#contexts.get(key) !== value) {
      this.#contexts.set(key, value);
      void vscode.commands.executeCommand('setContext', key, value);
    }
  }
}
