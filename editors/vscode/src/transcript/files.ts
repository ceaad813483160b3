// Opens what a transcript names, if it may be opened: web pages, and files of the workspace.

import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Target } from './links.ts';

type FileTarget = Extract<Target, { kind: 'file' }>;

/** The file of the workspace that is meant, if there is one. */
export async function find(target: FileTarget): Promise<vscode.Uri | undefined> {
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const root = folder.uri.fsPath;
    const file = path.resolve(root, target.path);
    try {
      // By real paths, so that no link in the workspace leads out of it.
      const [realRoot, realFile] = await Promise.all([fs.realpath(root), fs.realpath(file)]);
      const within = path.relative(realRoot, realFile);
      const isInside = within !== '' && within.split(path.sep)[0] !== '..' && !path.isAbsolute(within);
      if (isInside && (await fs.stat(realFile)).isFile()) {
        return vscode.Uri.file(path.relative(root, file).startsWith('..') ? realFile : file);
      }
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes(codeOf(error))) {
        throw error;
      }
    }
  }
  return undefined;
}

export async function open(target: Target): Promise<void> {
  if (target.kind === 'web') {
    await vscode.env.openExternal(vscode.Uri.parse(target.url, true));
    return;
  }
  const uri = await find(target);
  if (!uri) {
    throw new Error(`there is no file ${target.path} in this workspace; it may have been moved or removed.`);
  }
  const start = new vscode.Position((target.line ?? 1) - 1, (target.column ?? 1) - 1);
  await vscode.commands.executeCommand('vscode.open', uri, {
    ...(target.line === undefined ? {} : { selection: new vscode.Range(start, start) }),
    // Not over the transcript, if there is another place.
    viewColumn: besides(),
  });
}

/** A group of editors that does not show a transcript now; undefined: the one in use. */
function besides(): vscode.ViewColumn | undefined {
  const groups = vscode.window.tabGroups.all.filter((group) => {
    const input: unknown = group.activeTab?.input;
    return !(input instanceof vscode.TabInputWebview && input.viewType.endsWith('mewcode.transcript'));
  });
  return groups[0]?.viewColumn;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
