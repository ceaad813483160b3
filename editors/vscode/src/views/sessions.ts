// The sessions of the server, asked for whenever something tells that they may be others now. Shows nothing.

import * as vscode from 'vscode';
import type { SessionEntry, SessionsResult } from '../protocol.ts';
import { SESSIONS } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import { showError } from '../ui/report.ts';

export class Sessions implements vscode.Disposable {
  #sessions: readonly SessionEntry[] = [];
  #asking = false;
  /** Something changed while the answer was on its way. */
  #again = false;
  /** Why they could not be asked for was told already. */
  #told = false;
  readonly #connection: Connection;
  readonly #changed = new vscode.EventEmitter<readonly SessionEntry[]>();

  readonly onDidChange = this.#changed.event;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.onStatus(() => {
      this.#refresh();
    });
    connection.onEvent(({ event }) => {
      if (event.kind === 'run_started' || event.kind === 'run_ended') {
        this.#refresh();
      }
    });
    connection.onDidChangePhase((phase) => {
      this.#told = false;
      if (phase === 'running') {
        this.#refresh();
      } else {
        this.#set([]);
      }
    });
  }

  get all(): readonly SessionEntry[] {
    return this.#sessions;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** Asks once for a burst of changes. */
  #refresh(): void {
    if (this.#connection.phase !== 'running') {
      return;
    }
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = true;
    void this.#fetch().finally(() => {
      this.#asking = false;
      if (this.#again) {
        this.#again = false;
        this.#refresh();
      }
    });
  }

  async #fetch(): Promise<void> {
    try {
      this.#set((await this.#connection.request<SessionsResult>(SESSIONS, {})).sessions);
    } catch (error) {
      // A server that has stopped meanwhile has no sessions, and its end is told elsewhere.
      if (this.#connection.phase === 'running' && !this.#told) {
        this.#told = true;
        showError(error);
      }
    }
  }

  #set(sessions: readonly SessionEntry[]): void {
    this.#sessions = sessions;
    this.#changed.fire(sessions);
  }
}
