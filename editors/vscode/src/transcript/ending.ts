// Tells the end of a run to a user who may look elsewhere.

import * as vscode from 'vscode';
import type { Envelope } from '../protocol.ts';
import { notification } from '../ui/plain.ts';

const MILLISECONDS = 10_000;
const SHOW = 'Open the Transcript';

/** `isVisible`: the user sees the session's transcript. */
export function tellEnd({ session, event }: Envelope, isVisible: (session: string) => boolean): void {
  if (event.kind !== 'run_ended' || event.outcome === 'cancelled') {
    return;
  }
  const reason = event.message ?? 'no reason was given';
  if (event.outcome === 'failed') {
    offer(vscode.window.showErrorMessage(notification(`the run failed: ${reason}`), SHOW), session);
  } else if (event.outcome === 'limit') {
    offer(
      vscode.window.showWarningMessage(notification(`the run was stopped by a limit: ${reason}`), SHOW),
      session,
    );
  } else if (!isVisible(session)) {
    vscode.window.setStatusBarMessage('$(check) MewCode is done', MILLISECONDS);
  }
}

function offer(asked: Thenable<string | undefined>, session: string): void {
  void asked.then((answer) => {
    if (answer === SHOW) {
      void vscode.commands.executeCommand('mew.openTranscript', { session });
    }
  });
}
