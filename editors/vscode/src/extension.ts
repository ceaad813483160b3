// Where the extension begins: makes its parts, tells them of each other, starts the server.

import * as vscode from 'vscode';
import { Questions } from './approvals/questions.ts';
import { Prompt } from './prompt/prompt.ts';
import { Hunks } from './review/hunks.ts';
import { control } from './server/commands.ts';
import { Server } from './server/server.ts';
import { launch } from './server/settings.ts';
import { Transcript } from './transcript/transcript.ts';

/** What the tests inside VS Code may look at. Other extensions get nothing. */
export interface Inside {
  server: Server;
  hunks: Hunks;
  questions: Questions;
  transcript: Transcript;
  prompt: Prompt;
}

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): Inside | undefined {
  const output = vscode.window.createOutputChannel('MewCode', { log: true });
  const { version } = context.extension.packageJSON as { version: string };
  const server = new Server(() => launch(context), version, output);
  running = server;
  const hunks = new Hunks(server);
  const questions = new Questions(server);
  const transcript = new Transcript(server, context.extensionUri);
  const prompt = new Prompt(server, context.workspaceState, () => Promise.resolve());
  context.subscriptions.push(
    output,
    server,
    control(server, context.extension),
    hunks,
    questions,
    transcript,
    prompt,
  );
  // It may take its time; the window does not wait.
  void server.start();
  return context.extensionMode === vscode.ExtensionMode.Test
    ? { server, hunks, questions, transcript, prompt }
    : undefined;
}

/** VS Code waits for the end of the server, for five seconds at most. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}
