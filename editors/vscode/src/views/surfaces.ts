// Everything by which a user sees what waits and what goes on, outside of documents: the side bar, the status bar, notifications,
// and the commands that belong to them. Makes these parts and tells them of each other.

import type * as vscode from 'vscode';
import { Approve } from '../approvals/approve.ts';
import { questionCommands } from '../approvals/commands.ts';
import { QuestionDocuments } from '../approvals/document.ts';
import { Notices } from '../approvals/notices.ts';
import type { Questions } from '../approvals/questions.ts';
import type { Hunks } from '../review/hunks.ts';
import type { Review } from '../review/review.ts';
import type { Connection } from '../server/connection.ts';
import { statusCommands } from '../status/commands.ts';
import { StatusItem } from '../status/item.ts';
import { StatusState } from '../status/state.ts';
import { command, showError } from '../ui/report.ts';
import { Sessions } from './sessions.ts';
import { Views } from './views.ts';

export class Surfaces implements vscode.Disposable {
  readonly approve: Approve;
  readonly notices: Notices;
  readonly views: Views;
  readonly state: StatusState;
  readonly statusItem: StatusItem;
  readonly #own: { dispose(): unknown }[];

  constructor(connection: Connection, hunks: Hunks, questions: Questions, review: Review) {
    const sessions = new Sessions(connection);
    const documents = new QuestionDocuments(questions);
    this.approve = new Approve(questions, documents);
    this.notices = new Notices(questions);
    this.views = new Views(questions, hunks, sessions);
    this.state = new StatusState(connection, questions);
    this.statusItem = new StatusItem(this.state);
    this.#own = [
      sessions,
      documents,
      this.approve,
      this.notices,
      this.views,
      this.state,
      this.statusItem,
      ...questionCommands(connection, this.approve, documents),
      ...statusCommands(connection, this.state, this.approve),
      command('mew.openHunk', ({ hunk }: { hunk: string }) => openHunk(review, hunk)),
      connection.onDidChangePhase((phase) => {
        if (phase === 'running') {
          this.#fetch(connection, hunks, questions);
        }
      }),
    ];
  }

  dispose(): void {
    for (const one of this.#own) {
      one.dispose();
    }
  }

  /** Asks for what a server that runs may have told before anybody listened. */
  #fetch(connection: Connection, hunks: Hunks, questions: Questions): void {
    Promise.all([questions.fetch(), hunks.fetch(), this.state.fetch()]).catch((error: unknown) => {
      // The end of a server is told elsewhere.
      if (connection.phase === 'running') {
        showError(error);
      }
    });
  }
}

/** Goes to a hunk that was chosen in the list of them. */
async function openHunk({ places, jump }: Review, hunk: string): Promise<void> {
  const found = places.find(hunk);
  if (!found) {
    throw new Error('this hunk was decided meanwhile.');
  }
  await jump.to(found);
}
