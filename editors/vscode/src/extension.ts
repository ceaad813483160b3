// Where the extension begins: makes its parts, tells them of each other, starts the server.

import * as vscode from 'vscode';
import { Approve } from './approvals/approve.ts';
import { questionCommands } from './approvals/commands.ts';
import { QuestionDocuments } from './approvals/document.ts';
import { Notices } from './approvals/notices.ts';
import { Questions } from './approvals/questions.ts';
import { Hunks } from './review/hunks.ts';
import { Server } from './server/server.ts';
import { statusCommands } from './status/commands.ts';
import { StatusItem } from './status/item.ts';
import { StatusState } from './status/state.ts';
import { command, showError } from './ui/report.ts';
import { openHunk } from './views/open-hunk.ts';
import { Sessions } from './views/sessions.ts';
import { Views } from './views/views.ts';

/** What the tests inside VS Code may look at. Other extensions get nothing. */
export interface Inside {
  server: Server;
  hunks: Hunks;
  questions: Questions;
  approve: Approve;
  notices: Notices;
  views: Views;
  statusItem: StatusItem;
}

export async function activate(context: vscode.ExtensionContext): Promise<Inside | undefined> {
  const server = new Server();
  const hunks = new Hunks(server);
  const questions = new Questions(server);
  const sessions = new Sessions(server);
  const documents = new QuestionDocuments(questions);
  const approve = new Approve(questions, documents);
  const notices = new Notices(questions);
  const views = new Views(questions, hunks, sessions);
  const state = new StatusState(server, questions);
  const statusItem = new StatusItem(state);
  context.subscriptions.push(
    server,
    hunks,
    questions,
    sessions,
    documents,
    notices,
    views,
    state,
    statusItem,
    ...questionCommands(server, approve, documents),
    ...statusCommands(server, state, approve),
    command('mew.openHunk', ({ hunk }: { hunk: string }) => openHunk(hunks, hunk)),
    server.onDidChangePhase((phase) => {
      if (phase === 'running') {
        Promise.all([questions.fetch(), hunks.fetch(), state.fetch()]).catch(showError);
      }
    }),
    command('mew.restart', async () => {
      await server.stop();
      await server.start();
    }),
  );
  try {
    await server.start();
  } catch (error) {
    showError(error);
  }
  return context.extensionMode === vscode.ExtensionMode.Test
    ? { server, hunks, questions, approve, notices, views, statusItem }
    : undefined;
}
