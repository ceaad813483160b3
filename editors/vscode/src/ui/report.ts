// Words to the user, all of one kind.

import * as vscode from 'vscode';
import { notification } from './plain.ts';

/** What an error says. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Tells an error, without stealing the focus. */
export function showError(error: unknown): void {
  void vscode.window.showErrorMessage(notification(words(error)));
}

/** Registers a command whose errors are told. */
export function command(id: string, run: (...args: never[]) => unknown): vscode.Disposable {
  return vscode.commands.registerCommand(id, async (...args: never[]) => {
    try {
      return await run(...args);
    } catch (error) {
      showError(error);
      return undefined;
    }
  });
}
