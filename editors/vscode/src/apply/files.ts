// Removing and moving the files of open documents, with VS Code's own means, so that editors and unsaved text go along. A
// document with unsaved changes is never removed, and nothing is moved over something else.

import * as vscode from 'vscode';
import type { FileOperation } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import { documentAt, isOnDisk, nameOf } from '../text/documents.ts';
import type { Hands } from './hands.ts';

/** How long VS Code may take to close the document of a file that is gone. */
const PATIENCE_MILLISECONDS = 3000;

export interface Step {
  document: vscode.TextDocument;
  file: FileOperation | undefined;
}

/** Why the operation cannot be done, to be said behind the name of the document. */
export function problem(
  document: vscode.TextDocument,
  file: FileOperation,
  connection: Connection,
  hands: Hands,
): string | undefined {
  if (!isOnDisk(document.uri)) {
    return 'is not on disk';
  }
  if (file.kind === 'remove') {
    if (document.isDirty) {
      return 'has unsaved changes, which would be lost';
    }
    return hands.areIn(document) ? 'is being typed in' : undefined;
  }
  const to = connection.toUri(file.uri);
  return isOnDisk(to) || documentAt(to) ? `cannot move to ${nameOf(to)}: something is there` : undefined;
}

/**
 * Does all operations, or none. Returns the documents that are open afterwards, in order.
 *
 * Rejects with the reason when nothing was done, and says so where something could not be taken back.
 */
export async function carryOut(
  steps: readonly Step[],
  connection: Connection,
): Promise<vscode.TextDocument[]> {
  const undo: (() => PromiseLike<unknown>)[] = [];
  const after: vscode.TextDocument[] = [];
  try {
    // Moves first: a removal is harder to take back.
    for (const { document, file } of steps) {
      if (file?.kind === 'move') {
        const [from, to] = [document.uri, connection.toUri(file.uri)];
        await rename(from, to);
        undo.push(() => rename(to, from));
      }
    }
    for (const { document, file } of steps) {
      if (file?.kind === 'remove') {
        undo.push(await remove(document));
      }
    }
  } catch (error) {
    for (const step of undo.reverse()) {
      await step();
    }
    throw error;
  }
  for (const { document, file } of steps) {
    if (file) {
      await closed(document);
    }
    if (file?.kind !== 'remove') {
      after.push(file ? await vscode.workspace.openTextDocument(connection.toUri(file.uri)) : document);
    }
  }
  // What the language client sends of it is on its way when the microtasks of this turn have run.
  await new Promise(setImmediate);
  return after;
}

async function rename(from: vscode.Uri, to: vscode.Uri): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(from, to, { overwrite: false, ignoreIfExists: false });
  if (!(await vscode.workspace.applyEdit(edit)) || isOnDisk(from)) {
    throw new Error(`VS Code did not move ${nameOf(from)} to ${nameOf(to)}`);
  }
}

async function remove(document: vscode.TextDocument): Promise<() => PromiseLike<void>> {
  const { uri } = document;
  const bytes = await vscode.workspace.fs.readFile(uri);
  if (document.isDirty) {
    throw new Error(`${nameOf(uri)} has unsaved changes, which would be lost`);
  }
  const edit = new vscode.WorkspaceEdit();
  // Changes nothing, and lets the whole fail if the user typed meanwhile.
  edit.insert(uri, new vscode.Position(0, 0), '');
  edit.deleteFile(uri, { recursive: false, ignoreIfNotExists: false });
  if (!(await vscode.workspace.applyEdit(edit)) || isOnDisk(uri)) {
    throw new Error(`VS Code did not remove ${nameOf(uri)}`);
  }
  return () => vscode.workspace.fs.writeFile(uri, bytes);
}

/** Waits until a document is closed, which VS Code does some time after its last editor. */
async function closed(document: vscode.TextDocument): Promise<void> {
  if (document.isClosed) {
    return;
  }
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      listening.dispose();
      resolve();
    };
    const timer = setTimeout(done, PATIENCE_MILLISECONDS);
    const listening = vscode.workspace.onDidCloseTextDocument((other) => {
      if (other === document) {
        done();
      }
    });
  });
}
