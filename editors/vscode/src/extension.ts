// Where the extension begins: makes its parts, tells them of each other, starts the server.

import * as vscode from 'vscode';
import { Edits } from './apply/apply.ts';
import { Hands } from './apply/hands.ts';
import { Holding } from './apply/holding.ts';
import { Saves } from './apply/save.ts';
import { Questions } from './approvals/questions.ts';
import { Hunks } from './review/hunks.ts';
import { Server } from './server/server.ts';
import { Checksums } from './text/checksums.ts';
import { command, showError } from './ui/report.ts';

/** What the tests inside VS Code may look at. Other extensions get nothing. */
export interface Inside {
  server: Server;
  hunks: Hunks;
  questions: Questions;
  checksums: Checksums;
  holding: Holding;
  edits: Edits;
  saves: Saves;
}

export async function activate(context: vscode.ExtensionContext): Promise<Inside | undefined> {
  const server = new Server();
  const hunks = new Hunks(server);
  const questions = new Questions(server);
  const checksums = new Checksums(server);
  const holding = new Holding(server);
  const hands = new Hands();
  const edits = new Edits(server, checksums, hands);
  const saves = new Saves(server, checksums);
  context.subscriptions.push(
    server,
    hunks,
    questions,
    checksums,
    hands,
    holding,
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
    ? { server, hunks, questions, checksums, holding, edits, saves }
    : undefined;
}
