// Where the extension begins: makes its parts, tells them of each other, starts the server.

import * as vscode from 'vscode';
import { Edits } from './apply/apply.ts';
import { Hands } from './apply/hands.ts';
import { Holding } from './apply/holding.ts';
import { Saves } from './apply/save.ts';
import { Approve } from './approvals/approve.ts';
import { questionCommands } from './approvals/commands.ts';
import { QuestionDocuments } from './approvals/document.ts';
import { Notices } from './approvals/notices.ts';
import { Questions } from './approvals/questions.ts';
import { Prompt } from './prompt/prompt.ts';
import { Hunks } from './review/hunks.ts';
import { Review } from './review/review.ts';
import { control } from './server/commands.ts';
import { Server } from './server/server.ts';
import { launcher } from './server/settings.ts';
import { statusCommands } from './status/commands.ts';
import { StatusItem } from './status/item.ts';
import { StatusState } from './status/state.ts';
import { Checksums } from './text/checksums.ts';
import { Transcript } from './transcript/transcript.ts';
import { command, showError } from './ui/report.ts';
import { openHunk } from './views/open-hunk.ts';
import { Sessions } from './views/sessions.ts';
import { Views } from './views/views.ts';

/** What the tests inside VS Code may look at. Other extensions get nothing. */
export interface Inside {
  server: Server;
  checksums: Checksums;
  edits: Edits;
  saves: Saves;
  hunks: Hunks;
  review: Review;
  questions: Questions;
  approve: Approve;
  notices: Notices;
  prompt: Prompt;
  transcript: Transcript;
  views: Views;
  statusItem: StatusItem;
}

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): Inside | undefined {
  const output = vscode.window.createOutputChannel('MewCode', { log: true });
  const { version } = context.extension.packageJSON as { version: string };
  const server = new Server(launcher(context), version, output);
  running = server;

  const checksums = new Checksums(server);
  const hands = new Hands();
  const edits = new Edits(server, checksums, hands);
  const saves = new Saves(server, checksums);

  const hunks = new Hunks(server);
  const review = new Review(server, hunks, vscode.Uri.joinPath(context.extensionUri, 'media'));

  const questions = new Questions(server);
  const documents = new QuestionDocuments(questions);
  const approve = new Approve(questions, documents);
  const notices = new Notices(questions);

  const prompt = new Prompt(server, context.workspaceState, () =>
    checksums.verify(vscode.workspace.textDocuments),
  );
  const transcript = new Transcript(server, context.extensionUri);

  const sessions = new Sessions(server);
  const views = new Views(questions, hunks, sessions);
  const state = new StatusState(server, questions);
  const statusItem = new StatusItem(state);

  context.subscriptions.push(
    output,
    server,
    control(server, context.extension),
    ...[checksums, hands, new Holding(server)],
    ...[hunks, review],
    ...[questions, documents, notices, ...questionCommands(server, approve, documents)],
    ...[prompt, transcript],
    ...[sessions, views, state, statusItem, ...statusCommands(server, state, approve)],
    command('mew.openHunk', ({ hunk }: { hunk: string }) => openHunk(hunks, hunk)),
    server.onDidChangePhase((phase) => {
      if (phase === 'running') {
        Promise.all([questions.fetch(), hunks.fetch(), state.fetch()]).catch(showError);
      }
    }),
  );
  // It may take its time; the window does not wait.
  void server.start();
  return context.extensionMode === vscode.ExtensionMode.Test
    ? {
        ...{ server, checksums, edits, saves, hunks, review, questions, approve, notices },
        ...{ prompt, transcript, views, statusItem },
      }
    : undefined;
}

/** VS Code waits for the end of the server, for five seconds at most. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}
