// Going from hunk to hunk, through all documents and round at the ends.

import * as path from 'node:path';
import * as vscode from 'vscode';
import { documentAt } from '../text/documents.ts';
import type { Diffs } from './diff.ts';
import { whatOf } from './look.ts';
import { seenAt, step } from './order.ts';
import type { Places } from './places.ts';
import type { Target, Targets } from './target.ts';
import { tell } from './tell.ts';

export class Jump {
  readonly #places: Places;
  readonly #diffs: Diffs;
  readonly #targets: Targets;
  /** The hunk that was gone to last. */
  #last: string | undefined;
  #going: Promise<void> = Promise.resolve();

  constructor(places: Places, diffs: Diffs, targets: Targets) {
    this.#places = places;
    this.#diffs = diffs;
    this.#targets = targets;
  }

  /** Each key counts, however fast they come: one goes on from where the one before has led. */
  go(direction: 1 | -1): Promise<void> {
    const gone = this.#going.then(() => this.#go(direction));
    this.#going = gone.catch(() => undefined);
    return gone;
  }

  /** Opens the document at the hunk; where there is no file, the diff, which shows what was or would be there. */
  async to({ uri, placed }: Target, options: vscode.TextDocumentShowOptions = {}): Promise<void> {
    if (!(await exists(uri))) {
      await this.#diffs.show({ uri, hunk: placed.hunk.id }, options);
      return;
    }
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document, options);
    // It may have moved while the document was opened.
    const now = this.#places.find(placed.hunk.id)?.placed ?? placed;
    const line = Math.min(now.hunk.file === undefined ? seenAt(now) : 0, document.lineCount - 1);
    editor.selection = new vscode.Selection(line, 0, line, 0);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  async #go(direction: 1 | -1): Promise<void> {
    const stops = this.#places.stops();
    const editor = vscode.window.activeTextEditor;
    const subject = editor && this.#diffs.subjectOf(editor.document.uri);
    const from = editor && {
      uri: (subject?.uri ?? editor.document.uri).toString(),
      line: editor.selection.active.line,
      hunk: this.#last,
    };
    // A diff's lines are not the document's: from the diff of a hunk it goes on from that hunk.
    const shown = subject && stops.findIndex(({ placed }) => placed.hunk.id === (subject.hunk ?? this.#last));
    const index =
      shown !== undefined && shown >= 0
        ? (shown + direction + stops.length) % stops.length
        : step(stops, from, direction);
    const stop = stops[index];
    if (!stop) {
      tell('no hunk waits for you');
      return;
    }
    const uri = vscode.Uri.parse(stop.uri, true);
    await this.to({ uri, placed: stop.placed });
    this.#last = stop.placed.hunk.id;
    // Who reads the place may decide at once: the keys must know by then that the cursor is on a hunk.
    await this.#targets.look();
    const place = `${path.basename(uri.path)}: ${whatOf(stop.placed.hunk)}`;
    tell(`hunk ${index + 1} of ${stops.length}, ${place}`);
  }
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  if (documentAt(uri)) {
    return true;
  }
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') {
      return false;
    }
    throw error;
  }
}
