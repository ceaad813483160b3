// What a command of the review did or found, where it is not seen: for a few seconds in the status bar, without stealing anything.

import * as vscode from 'vscode';
import { withoutIcons } from '../ui/literal.ts';

const MILLISECONDS = 8000;

export function tell(what: string): void {
  vscode.window.setStatusBarMessage(`MewCode: ${withoutIcons(what)}`, MILLISECONDS);
}
