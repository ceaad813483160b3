// The user's settings that a scenario wants, in VS Code's words, for as long as it is played.

import * as vscode from 'vscode';
import type { Scenario } from '../harness/scenario.ts';

/** Removes the blanks at the ends of lines. */
const FORMATTER: vscode.DocumentFormattingEditProvider = {
  provideDocumentFormattingEdits(document) {
    const edits: vscode.TextEdit[] = [];
    for (let number = 0; number < document.lineCount; number++) {
      const { range, text } = document.lineAt(number);
      const kept = text.trimEnd().length;
      if (kept < text.length) {
        edits.push(vscode.TextEdit.delete(range.with(range.start.translate(0, kept))));
      }
    }
    return edits;
  },
};

async function set(values: Record<string, unknown>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    await vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global);
  }
}

/** Sets them; what takes them back. */
export async function settings(wanted: NonNullable<Scenario['settings']>): Promise<() => Promise<void>> {
  const values: Record<string, unknown> = {};
  let formatter: vscode.Disposable | undefined;
  if (wanted.formatOnSave === true) {
    formatter = vscode.languages.registerDocumentFormattingEditProvider({ scheme: 'file' }, FORMATTER);
    values['editor.formatOnSave'] = true;
  }
  if (wanted.autoSave === true) {
    values['files.autoSave'] = 'afterDelay';
    values['files.autoSaveDelay'] = 50;
  }
  const before = new Map(
    Object.keys(values).map((key) => [key, vscode.workspace.getConfiguration().inspect(key)?.globalValue]),
  );
  await set(values);
  return async () => {
    formatter?.dispose();
    await set(Object.fromEntries(before));
  };
}
