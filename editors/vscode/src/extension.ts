// Where the extension begins: makes its parts, tells them of each other, starts the server.

import * as vscode from 'vscode';
import { Questions } from './approvals/questions.ts';
import { Queries } from './query/queries.ts';
import { Hunks } from './review/hunks.ts';
import { Server } from './server/server.ts';
import { command, showError } from './ui/report.ts';

/** What the tests inside VS Code may look at. Other extensions get nothing. */
export interface Inside {
  server: Server;
  hunks: Hunks;
  questions: Questions;
}

export async function activate(context: vscode.ExtensionContext): Promise<Inside | undefined> {
  const server = new Server();
  const hunks = new Hunks(server);
  const questions = new Questions(server);
  context.subscriptions.push(
    server,
    hunks,
    questions,
    new Queries(server),
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
  return context.extensionMode === vscode.ExtensionMode.Test ? { server, hunks, questions } : undefined;
}
