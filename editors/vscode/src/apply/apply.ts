// mewcode/applyEdit: all documents are checked, then all are changed by one edit, which VS Code carries out only if none of them
// has another version by then: so no keystroke comes between check and change. Then files are moved and removed. All or
// none. Never saves.

import * as vscode from 'vscode';
import type { TextEdit } from 'vscode-languageclient';
import type { ApplyEditParams, ApplyEditResult, DocumentEdits } from '../protocol.ts';
import { APPLY_EDIT } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import type { Checksums } from '../text/checksums.ts';
import { bar, documentAt, nameOf, notebookAt } from '../text/documents.ts';
import { fault, inverse, type Lines } from '../text/edits.ts';
import { hash } from '../text/logical.ts';
import { shift, spare } from '../text/view.ts';
import { words } from '../ui/report.ts';
import { carryOut, problem } from './files.ts';
import type { Hands } from './hands.ts';

/** A document that was checked, and what is to become of it. */
interface Target {
  document: vscode.TextDocument;
  part: DocumentEdits;
  /** Of the text that the edits were checked for. */
  version: number;
}

type Refusal = ApplyEditResult & { applied: false };

function refused(reason: NonNullable<ApplyEditResult['reason']>, message: string): Refusal {
  return { applied: false, reason, message };
}

export class Edits {
  readonly #connection: Connection;
  readonly #checksums: Checksums;
  readonly #hands: Hands;

  constructor(connection: Connection, checksums: Checksums, hands: Hands) {
    this.#connection = connection;
    this.#checksums = checksums;
    this.#hands = hands;
    connection.handle<ApplyEditParams>(APPLY_EDIT, (params) => this.apply(params));
  }

  async apply({ documents }: ApplyEditParams): Promise<ApplyEditResult> {
    const targets: Target[] = [];
    const stale: vscode.TextDocument[] = [];
    let refusal: Refusal | undefined;
    for (const part of documents) {
      const checked = this.#check(part);
      if ('applied' in checked) {
        refusal ??= checked;
        const document = checked.reason === 'stale' && documentAt(this.#connection.toUri(part.uri));
        if (document) {
          stale.push(document);
        }
      } else if (targets.some((target) => target.document === checked.document)) {
        refusal ??= refused('failed', `${part.uri} is named twice`);
      } else {
        targets.push(checked);
      }
    }
    if (refusal) {
      await this.#settle(stale);
      return refusal;
    }
    return this.#change(targets);
  }

  /** Nothing is awaited here: what was checked is still so when the edit is made. */
  #check(part: DocumentEdits): Target | Refusal {
    const uri = this.#connection.toUri(part.uri);
    const name = nameOf(uri);
    if (notebookAt(uri)) {
      return refused('unavailable', `${name} is open as a notebook in VS Code; close it first`);
    }
    const document = documentAt(uri);
    if (!document) {
      return refused('not_open', `${name} is not open in VS Code`);
    }
    const barred = bar(document);
    if (barred !== undefined) {
      return refused('unavailable', `${name} ${barred}`);
    }
    try {
      if (hash(document) !== part.sha256 || document.version !== part.version) {
        return refused('stale', `${name} has changed since the edit was made`);
      }
    } catch (error) {
      return refused('unavailable', `${name}: ${words(error)}`);
    }
    const unfit = part.file && problem(document, part.file, this.#connection, this.#hands);
    if (unfit !== undefined) {
      return refused('unavailable', `${name} ${unfit}`);
    }
    const wrong = fault(part.edits, linesOf(document));
    if (wrong !== undefined) {
      return refused('failed', `the edit of ${name} is not valid: ${wrong}`);
    }
    return { document, part, version: document.version };
  }

  async #change(targets: readonly Target[]): Promise<ApplyEditResult> {
    const edited = targets.filter(({ part }) => part.edits.length > 0);
    // Read now: later the old text is gone.
    const back = edited.map(({ document, part }): [vscode.TextDocument, TextEdit[]] => {
      const textOf = (range: TextEdit['range']): string => document.getText(this.#connection.toRange(range));
      return [document, inverse(part.edits, textOf, linesOf(document))];
    });
    const forward = edited.map(({ document, part }): [vscode.TextDocument, TextEdit[]] => [
      document,
      spare(part.edits, cursorsIn(document), linesOf(document)),
    ]);
    if (edited.length > 0 && !(await this.#edit(forward))) {
      const overtaken = targets.filter(({ document, version }) => document.version !== version);
      await this.#flush(overtaken.map(({ document }) => document));
      return overtaken.length > 0
        ? refused('stale', 'the user typed before the edit arrived')
        : refused('failed', 'VS Code refused the edit');
    }
    const versions = edited.map(({ document }) => document.version);
    let documents: vscode.TextDocument[];
    try {
      documents = await carryOut(
        targets.map(({ document, part }) => ({ document, file: part.file })),
        this.#connection,
      );
    } catch (error) {
      // What the user typed since stays, and then the edit does too.
      const untouched = edited.every(({ document }, index) => document.version === versions[index]);
      const returned = edited.length === 0 || (untouched && (await this.#edit(back)));
      await this.#flush(edited.map(({ document }) => document));
      return refused(
        'failed',
        returned ? words(error) : `${words(error)}; and its edits could not be taken back`,
      );
    }
    await this.#flush(documents);
    return {
      applied: true,
      documents: documents.map((document) => ({
        uri: this.#connection.fromUri(document.uri),
        sha256: hash(document),
      })),
    };
  }

  /** One undo step, which no typing before or after joins. False: nothing was changed. */
  async #edit(edits: readonly [vscode.TextDocument, TextEdit[]][]): Promise<boolean> {
    const edit = new vscode.WorkspaceEdit();
    for (const [document, parts] of edits) {
      edit.set(
        document.uri,
        parts.map(({ range, newText }) => new vscode.TextEdit(this.#connection.toRange(range), newText)),
      );
    }
    const scroll = scrolling(edits);
    const done = await vscode.workspace.applyEdit(edit);
    if (done) {
      scroll();
    }
    return done;
  }

  /** Waits until the server has what the documents hold. A server that is gone needs no answer. */
  async #flush(documents: readonly vscode.TextDocument[]): Promise<void> {
    await Promise.allSettled(documents.map((document) => this.#checksums.flush(document)));
  }

  /** Waits until the server has what the documents hold, and gives it the text where it does not come by itself. */
  async #settle(documents: readonly vscode.TextDocument[]): Promise<void> {
    await Promise.allSettled(documents.map((document) => this.#checksums.settle(document)));
  }
}

function linesOf(document: vscode.TextDocument): Lines {
  return { count: document.lineCount, length: (line) => document.lineAt(line).range.end.character };
}

function cursorsIn(document: vscode.TextDocument): vscode.Position[] {
  return vscode.window.visibleTextEditors
    .filter((editor) => editor.document === document)
    .flatMap((editor) => editor.selections.map((selection) => selection.active));
}

/** Afterwards the active editor shows the same lines at the same height, unless they were edited. */
function scrolling(edits: readonly [vscode.TextDocument, TextEdit[]][]): () => void {
  const editor = vscode.window.activeTextEditor;
  const own = edits.find(([document]) => document === editor?.document);
  const top = editor?.visibleRanges[0]?.start.line;
  const lines = own && top !== undefined ? shift(own[1], top) : 0;
  return () => {
    if (lines !== 0 && editor === vscode.window.activeTextEditor) {
      const to = lines > 0 ? 'down' : 'up';
      const how = { to, by: 'wrappedLine', value: Math.abs(lines), revealCursor: false };
      // The edit is there, whatever becomes of the view.
      void vscode.commands.executeCommand('editorScroll', how).then(undefined, () => undefined);
    }
  };
}
