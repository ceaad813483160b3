// Which documents VS Code has, which of them the server knows, and why one must not be changed. Changes nothing.

import * as fs from 'node:fs';
import * as vscode from 'vscode';
import { SELECTOR } from '../server/client.ts';

/** The open document at this place. */
export function documentAt(uri: vscode.Uri): vscode.TextDocument | undefined {
  const wanted = uri.toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted);
}

/** Whether the server is told of this document and its changes. */
export function isSynchronised(document: vscode.TextDocument): boolean {
  return !document.isClosed && vscode.languages.match(SELECTOR, document) > 0;
}

/** What the user calls it. */
export function nameOf(uri: vscode.Uri): string {
  return uri.scheme === 'file' || uri.scheme === 'untitled'
    ? vscode.workspace.asRelativePath(uri, (vscode.workspace.workspaceFolders?.length ?? 0) > 1)
    : uri.toString();
}

/** The notebook that is open at this place. */
export function notebookAt(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  const wanted = uri.toString();
  return vscode.workspace.notebookDocuments.find((notebook) => notebook.uri.toString() === wanted);
}

/** Whether something is on the disk at this place, a link to nowhere included. */
export function isOnDisk(uri: vscode.Uri): boolean {
  if (uri.scheme !== 'file') {
    return false;
  }
  try {
    fs.lstatSync(uri.fsPath);
    return true;
  } catch (error) {
    // What cannot be looked at may be there.
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

/**
 * Why a document must not be changed, to be said behind its name. What a user made read-only for this session alone is not told
 * to extensions.
 */
export function bar(document: vscode.TextDocument): string | undefined {
  if (!isSynchronised(document)) {
    return document.uri.scheme === 'vscode-notebook-cell'
      ? 'is a cell of a notebook'
      : 'is no file that the server knows of';
  }
  if (document.uri.scheme !== 'file') {
    return undefined;
  }
  const files = vscode.workspace.getConfiguration('files', document.uri);
  const matches = (setting: string): boolean =>
    Object.entries(files.get<Record<string, boolean>>(setting, {})).some(
      ([pattern, applies]) => applies && vscode.languages.match({ pattern }, document) > 0,
    );
  if (matches('readonlyInclude') && !matches('readonlyExclude')) {
    return 'is read-only in VS Code (setting files.readonlyInclude)';
  }
  const state = fs.statSync(document.uri.fsPath, { throwIfNoEntry: false });
  return state && (state.mode & 0o222) === 0 ? 'may not be written: its file is read-only' : undefined;
}
