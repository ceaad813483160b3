// The files of the workspace, as they are named in a prompt: those that are open first, then those that were open, then the rest.

import * as vscode from 'vscode';
import { best, type Named } from './fuzzy.ts';
import { ignored } from './ignored.ts';

const MOST_FILES = 200_000;
const MOST_RECENT = 200;

export interface Found {
  uri: vscode.Uri;
  path: string;
}

/** As a prompt names a file: relative to the first folder, which is where the server's paths begin, or else absolute. */
export function pathOf(uri: vscode.Uri): string {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  const inside =
    root && uri.path.startsWith(`${root.path.replace(/\/$/, '')}/`) && root.scheme === uri.scheme;
  return inside ? uri.path.slice(root.path.replace(/\/$/, '').length + 1) : uri.fsPath.replaceAll('\\', '/');
}

/** Remembers what was open in this window. */
export class Recent implements vscode.Disposable {
  #uris: vscode.Uri[] = [];
  readonly #listening: vscode.Disposable;

  constructor() {
    this.#add(vscode.window.activeTextEditor);
    this.#listening = vscode.window.onDidChangeActiveTextEditor((editor) => {
      this.#add(editor);
    });
  }

  /** The newest first. */
  get uris(): readonly vscode.Uri[] {
    return this.#uris;
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #add(editor: vscode.TextEditor | undefined): void {
    const uri = editor?.document.uri;
    if (uri?.scheme === 'file') {
      const others = this.#uris.filter((one) => one.toString() !== uri.toString());
      this.#uris = [uri, ...others].slice(0, MOST_RECENT);
    }
  }
}

/** The files as they were when they were first asked for. One list for each time that the field is open. */
export class FileList implements vscode.Disposable {
  readonly #recent: Recent;
  readonly #cancel = new vscode.CancellationTokenSource();
  #all: Promise<Named<Found>[]> | undefined;

  constructor(recent: Recent) {
    this.#recent = recent;
  }

  /** The files that fit best. */
  async find(query: string, most: number): Promise<Found[]> {
    this.#all ??= this.#list();
    return best(query, await this.#all, most);
  }

  dispose(): void {
    this.#cancel.cancel();
    this.#cancel.dispose();
  }

  async #list(): Promise<Named<Found>[]> {
    const { token } = this.#cancel;
    const [found, isIgnored] = await Promise.all([
      vscode.workspace.findFiles('**/*', excluded(), MOST_FILES, token),
      ignoredFiles(token),
    ]);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.map((tab): unknown => tab.input));
    const open = tabs.flatMap((input) => (input instanceof vscode.TabInputText ? [input.uri] : []));
    const first = [...open, ...this.#recent.uris].filter(
      (uri) => uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri),
    );
    // The newest of the open ones before the others.
    const rank = new Map(this.#recent.uris.map((uri, index) => [uri.toString(), index]));
    const isOpen = new Set(open.map(String));
    const place = (uri: vscode.Uri): number =>
      (isOpen.has(uri.toString()) ? 0 : MOST_RECENT) + (rank.get(uri.toString()) ?? MOST_RECENT - 1);
    first.sort((a, b) => place(a) - place(b));
    const seen = new Set<string>();
    const named: Named<Found>[] = [];
    // What is open is meant by its name, ignored or not.
    for (const uri of [...first, ...found.filter((one) => !isIgnored(one.path))]) {
      const path = pathOf(uri);
      if (!seen.has(path)) {
        seen.add(path);
        named.push({ lower: path.toLowerCase(), value: { uri, path } });
      }
    }
    return named;
  }
}

/** What git ignores, unless the user wants it found by searches. VS Code's own list of files has it all. */
async function ignoredFiles(token: vscode.CancellationToken): Promise<(path: string) => boolean> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(
    ({ uri }) =>
      uri.scheme === 'file' &&
      vscode.workspace.getConfiguration('search', uri).get<boolean>('useIgnoreFiles', true),
  );
  const stop = new AbortController();
  const listening = token.onCancellationRequested(() => {
    stop.abort();
  });
  try {
    const found = folders.map(({ uri }) => ignored(uri.fsPath, uri.path, stop.signal));
    const judges = await Promise.all(found);
    return (path) => judges.some((isIgnored) => isIgnored(path));
  } finally {
    listening.dispose();
  }
}

/** What the user's settings keep out of searches. */
function excluded(): string | undefined {
  const patterns = ['files', 'search'].flatMap((section) => {
    const set = vscode.workspace.getConfiguration(section).get<Record<string, unknown>>('exclude', {});
    return Object.keys(set).filter((pattern) => set[pattern] === true && !/[{},]/.test(pattern));
  });
  return patterns.length > 0 ? `{${[...new Set(patterns)].join(',')}}` : undefined;
}
