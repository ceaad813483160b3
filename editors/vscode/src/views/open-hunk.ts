// Goes to a hunk that was chosen in the list of them.

import * as vscode from 'vscode';
import type { Hunks } from '../review/hunks.ts';

export async function openHunk(hunks: Hunks, id: string): Promise<void> {
  const found = hunks.find(id);
  if (!found) {
    throw new Error('This hunk was decided already.');
  }
  const { document, hunk } = found;
  const there = await vscode.workspace.fs.stat(document.uri).then(
    () => true,
    () => false,
  );
  const open = vscode.workspace.textDocuments.some((one) => one.uri.toString() === document.uri.toString());
  if (hunk.file !== undefined || !(there || open)) {
    // It names no lines, or there is no file yet to show them in.
    await vscode.commands.executeCommand('mew.showDiff', { hunk: id });
    return;
  }
  const editor = await vscode.window.showTextDocument(document.uri);
  // Opening it may have told the server of other lines.
  const line = hunks.find(id)?.hunk.startLine ?? hunk.startLine;
  const place = editor.document.validatePosition(new vscode.Position(line, 0));
  editor.selection = new vscode.Selection(place, place);
  editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
