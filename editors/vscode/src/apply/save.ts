// mewcode/save: saves a document as the user would, formatters included, but only the very text that the server means. Asks the
// user nothing: where VS Code cannot save, it tells the user why by itself, and the server gets a refusal.

import * as vscode from 'vscode';
import type { SaveParams, SaveResult } from '../protocol.ts';
import { SAVE } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import type { Checksums } from '../text/checksums.ts';
import { documentAt, isSynchronised } from '../text/documents.ts';
import { hash, isWhole, logical, sha256 } from '../text/logical.ts';
import { words } from '../ui/report.ts';

function refused(reason: string): SaveResult {
  return { saved: false, reason };
}

export class Saves {
  readonly #connection: Connection;
  readonly #checksums: Checksums;

  constructor(connection: Connection, checksums: Checksums) {
    this.#connection = connection;
    this.#checksums = checksums;
    connection.handle<SaveParams>(SAVE, (params) => this.save(params));
  }

  async save(params: SaveParams): Promise<SaveResult> {
    const document = documentAt(this.#connection.toUri(params.uri));
    if (!document || !isSynchronised(document)) {
      return refused('it is not open in VS Code');
    }
    if (document.isUntitled) {
      return refused('it has no file yet; the user has to save it under a name');
    }
    try {
      if (hash(document) !== params.sha256) {
        return refused('it has changed since');
      }
      // Of one that is clean, VS Code writes nothing.
      if (!(await document.save())) {
        return refused('VS Code did not save it, and tells the user why');
      }
    } catch (error) {
      return refused(words(error));
    }
    const saved = await savedHash(document);
    await this.#checksums.flush(document).catch(() => undefined);
    return saved === undefined ? { saved: true } : { saved: true, sha256: saved };
  }
}

/** The hash of what was saved. What the user types meanwhile is in the document and not on disk. */
async function savedHash(document: vscode.TextDocument): Promise<string | undefined> {
  if (!document.isDirty) {
    return hash(document);
  }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    await vscode.workspace.fs.readFile(document.uri),
  );
  return isWhole(text) ? sha256(logical(text)) : undefined;
}
