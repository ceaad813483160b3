// Where the extension begins: makes its parts, tells them of each other, starts the server.

import * as vscode from 'vscode';
import { Edits } from './apply/apply.ts';
import { Hands } from './apply/hands.ts';
import { Holding } from './apply/holding.ts';
import { Saves } from './apply/save.ts';
import { Questions } from './approvals/questions.ts';
import { Prompt } from './prompt/prompt.ts';
import { Queries } from './query/queries.ts';
import { Hunks } from './review/hunks.ts';
import { Review } from './review/review.ts';
import { control } from './server/commands.ts';
import { Server } from './server/server.ts';
import { launcher } from './server/settings.ts';
import { Checksums } from './text/checksums.ts';
import { Transcript } from './transcript/transcript.ts';
import { Surfaces } from './views/surfaces.ts';

/** What the tests inside VS Code may look at. Other extensions get nothing. */
export interface Inside {
  server: Server;
  checksums: Checksums;
  holding: Holding;
  edits: Edits;
  saves: Saves;
  hunks: Hunks;
  review: Review;
  questions: Questions;
  prompt: Prompt;
  transcript: Transcript;
  surfaces: Surfaces;
}

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): Inside | undefined {
  const output = vscode.window.createOutputChannel('MewCode', { log: true });
  const { version } = context.extension.packageJSON as { version: string };
  const server = new Server(launcher(context), version, output);
  running = server;

  const checksums = new Checksums(server);
  const holding = new Holding(server);
  const hands = new Hands();
  const edits = new Edits(server, checksums, hands);
  const saves = new Saves(server, checksums);
  const queries = new Queries(server);

  const hunks = new Hunks(server);
  const review = new Review(server, hunks, vscode.Uri.joinPath(context.extensionUri, 'media'));
  const questions = new Questions(server);
  const prompt = new Prompt(server, context.workspaceState, () =>
    checksums.verify(vscode.workspace.textDocuments),
  );
  const transcript = new Transcript(server, context.extensionUri);
  const surfaces = new Surfaces(server, hunks, questions, review);

  context.subscriptions.push(
    ...[output, server, control(server, context.extension)],
    ...[checksums, holding, hands, queries],
    ...[hunks, review, questions, prompt, transcript, surfaces],
  );
  // It may take its time; the window does not wait.
  void server.start();
  return context.extensionMode === vscode.ExtensionMode.Test
    ? {
        ...{ server, checksums, holding, edits, saves },
        ...{ hunks, review, questions, prompt, transcript, surfaces },
      }
    : undefined;
}

/** VS Code waits for the end of the server, for five seconds at most. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}
