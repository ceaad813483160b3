// mewcode/query: what the agent wants to know is asked of VS Code's own features, which ask every other extension. A file
// that is not open is read by VS Code for that, and not shown. Changes nothing.

import * as vscode from 'vscode';
import type { Position } from 'vscode-languageclient';
import type { QueryParams, QueryResult } from '../protocol.ts';
import { QUERY } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import { documentAt } from '../text/documents.ts';
import { words } from '../ui/report.ts';
import type { HoverContent, LocationLike } from './answers.ts';
import { bounded, hoverText, locationsOf, worst } from './answers.ts';
import { OthersDiagnostics } from './diagnostics.ts';

/** How long other extensions may take. The server gives up a little later. */
const PATIENCE_MILLISECONDS = 15_000;

export class Queries implements vscode.Disposable {
  readonly #connection: Connection;
  readonly #diagnostics = new OthersDiagnostics();

  /** Answers the server. To be made before it is started. */
  constructor(connection: Connection) {
    this.#connection = connection;
    connection.handle(QUERY, (params: QueryParams) => this.#answer(params));
  }

  dispose(): void {
    this.#diagnostics.dispose();
  }

  async #answer(params: QueryParams): Promise<QueryResult> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<QueryResult>((resolve) => {
      timer = setTimeout(() => {
        resolve({ reason: 'failed', message: 'other extensions did not answer in time' });
      }, PATIENCE_MILLISECONDS);
    });
    try {
      return await Promise.race([this.#ask(params), late]);
    } catch (error) {
      return { reason: 'failed', message: words(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  #ask(params: QueryParams): Promise<QueryResult> {
    return params.kind === 'diagnostics' ? this.#whatIsWrong(params) : this.#aboutPlace(params);
  }

  async #whatIsWrong({ uri, limit, settleMilliseconds }: QueryParams): Promise<QueryResult> {
    if (uri === undefined) {
      const all = this.#diagnostics.all().map((one) => ({
        ...one,
        uri: this.#connection.fromUri(one.uri),
      }));
      return worst(all, limit);
    }
    const target = this.#connection.toUri(uri);
    const document = documentAt(target);
    if (document && settleMilliseconds !== undefined) {
      await this.#diagnostics.settled(document, settleMilliseconds);
    }
    return worst([{ uri, diagnostics: this.#diagnostics.of(target) }], limit);
  }

  async #aboutPlace({ kind, uri, version, position, newName, limit }: QueryParams): Promise<QueryResult> {
    if (uri === undefined || position === undefined) {
      return { reason: 'failed', message: 'the question names no place' };
    }
    const target = this.#connection.toUri(uri);
    const document = await readDocument(target);
    if (!document) {
      return { reason: 'not_open' };
    }
    const isStale = (): boolean => version !== undefined && document.version !== version;
    if (isStale()) {
      return { reason: 'stale' };
    }
    const at = placeOf(position);
    switch (kind) {
      case 'definition':
      case 'references': {
        const found = await vscode.commands.executeCommand<LocationLike[] | undefined>(
          kind === 'definition' ? 'vscode.executeDefinitionProvider' : 'vscode.executeReferenceProvider',
          target,
          at,
        );
        const { shown, leftOut } = bounded(locationsOf(found ?? []), limit);
        return { locations: shown, leftOut };
      }
      case 'hover': {
        const found = await vscode.commands.executeCommand<vscode.Hover[] | undefined>(
          'vscode.executeHoverProvider',
          target,
          at,
        );
        const texts = (found ?? []).map((hover) => hoverText(hover.contents as HoverContent[]));
        const { shown, leftOut } = bounded(texts, limit);
        return { hovers: shown, leftOut };
      }
      case 'rename': {
        const before = document.version;
        const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>(
          'vscode.executeDocumentRenameProvider',
          target,
          at,
          newName,
        );
        return document.version === before ? this.#renaming(edit, limit) : { reason: 'stale' };
      }
      case 'diagnostics':
      default:
        return { reason: 'failed', message: `the extension does not know the question ${kind}` };
    }
  }

  #renaming(edit: vscode.WorkspaceEdit | undefined, limit: number): QueryResult {
    const entries = edit?.entries() ?? [];
    if (edit && hasOtherThanText(edit)) {
      return { reason: 'failed', message: 'the renaming would create, rename or remove files' };
    }
    const { shown, leftOut } = bounded(entries, limit);
    return {
      documents: shown.map(([uri, edits]) => {
        const open = documentAt(uri);
        return {
          uri: this.#connection.fromUri(uri),
          ...(open ? { version: open.version } : {}),
          edits: edits.map(({ range, newText }) => ({
            range: this.#connection.fromRange(range),
            newText,
          })),
        };
      }),
      leftOut,
    };
  }
}

/** What VS Code calls an edit of text among all that a workspace edit may hold. */
const TEXT_EDIT = 2;

/**
 * Whether more than texts would change. VS Code tells extensions of the edits of text alone, so this looks at what it keeps;
 * a version that keeps it elsewhere leaves file names as they are, as the tool's description says.
 */
function hasOtherThanText(edit: vscode.WorkspaceEdit): boolean {
  const kept = edit as { _allEntries?(): readonly { _type: number }[] };
  return kept._allEntries?.().some(({ _type }) => _type !== TEXT_EDIT) ?? false;
}

/** The document of a URI, read if it is not open; undefined for what is none. */
async function readDocument(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return documentAt(uri) ?? (await vscode.workspace.openTextDocument(uri));
  } catch {
    // VS Code's words for a file that is gone, or no text, are told by the answer that the file is not open.
    return undefined;
  }
}

function placeOf({ line, character }: Position): vscode.Position {
  return new vscode.Position(line, character);
}
