// Where the extension begins: makes its parts, tells them of each other, starts the server.

import * as vscode from 'vscode';
import { Questions } from './approvals/questions.ts';
import { Hunks } from './review/hunks.ts';
import { Review } from './review/review.ts';
import { control } from './server/commands.ts';
import { Server } from './server/server.ts';
import { launch } from './server/settings.ts';
import { Surfaces } from './views/surfaces.ts';

/** What the tests inside VS Code may look at. Other extensions get nothing. */
export interface Inside {
  server: Server;
  hunks: Hunks;
  questions: Questions;
  review: Review;
  surfaces: Surfaces;
}

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): Inside | undefined {
  const output = vscode.window.createOutputChannel('MewCode', { log: true });
  const { version } = context.extension.packageJSON as { version: string };
  const server = new Server(() => launch(context), version, output);
  running = server;
  const hunks = new Hunks(server);
  const questions = new Questions(server);
  const review = new Review(server, hunks, vscode.Uri.joinPath(context.extensionUri, 'media'));
  const surfaces = new Surfaces(server, hunks, questions, review);
  context.subscriptions.push(
    output,
    server,
    control(server, context.extension),
    hunks,
    questions,
    review,
    surfaces,
  );
  // It may take its time; the window does not wait.
  void server.start();
  return context.extensionMode === vscode.ExtensionMode.Test
    ? { server, hunks, questions, review, surfaces }
    : undefined;
}

/** VS Code waits for the end of the server, for five seconds at most. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}
