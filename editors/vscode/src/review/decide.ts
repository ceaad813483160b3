// Accepting and rejecting: of a hunk, of a document, of all. Sends what the user decided; what comes of it is told by the server.

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { DecisionResult, ReviewArguments } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import { count } from '../ui/literal.ts';
import { notification } from '../ui/plain.ts';
import { decidedWords, type Verb } from './decided.ts';
import type { Diffs } from './diff.ts';
import { whatOf } from './look.ts';
import type { Places } from './places.ts';
import type { Target, Targets } from './target.ts';
import { tell } from './tell.ts';

type Take = NonNullable<ReviewArguments['take']>;

const SIDES: { take: Take; label: string; description: string }[] = [
  { take: 'mine', label: 'Keep mine', description: 'the lines as they are in the document' },
  { take: 'agent', label: 'Take MewCode’s', description: 'in place of yours' },
  { take: 'both', label: 'Keep both', description: 'yours first' },
];

export class Decide {
  readonly #connection: Connection;
  readonly #places: Places;
  readonly #targets: Targets;
  readonly #diffs: Diffs;

  constructor(connection: Connection, places: Places, targets: Targets, diffs: Diffs) {
    this.#connection = connection;
    this.#places = places;
    this.#targets = targets;
    this.#diffs = diffs;
  }

  async hunk(verb: Verb, argument?: unknown, word?: string): Promise<void> {
    const target = await this.#targets.hunk(argument);
    if (!target) {
      tell('no hunk here; Next Hunk goes on, Review Hunks lists all');
      return;
    }
    const { hunk } = target.placed;
    if (verb === 'accept' && hunk.state === 'conflicted') {
      await this.#resolve(target);
      return;
    }
    await this.#send(verb, { hunk: hunk.id, ...feedbackOf(word) }, [target]);
  }

  /** Asks for a word to the agent first. Without an answer nothing is rejected. */
  async rejectWithReason(argument?: unknown): Promise<void> {
    const target = await this.#targets.hunk(argument);
    if (!target) {
      await this.hunk('reject', argument);
      return;
    }
    const { hunk } = target.placed;
    const word = await askWord(`${path.basename(target.uri.path)} (${whatOf(hunk)})`);
    if (word !== undefined) {
      await this.hunk('reject', { hunk: hunk.id }, word);
    }
  }

  /** The same for all hunks of a document, which get the one word. */
  async rejectDocumentWithReason(argument?: unknown): Promise<void> {
    const uri = this.#targets.document(argument);
    const placed = uri ? this.#places.of(uri) : [];
    if (!uri || placed.length === 0) {
      await this.document('reject', argument);
      return;
    }
    const word = await askWord(`${path.basename(uri.path)} (${count(placed.length, 'hunk')})`);
    if (word !== undefined) {
      await this.document('reject', uri, word);
    }
  }

  async document(verb: Verb, argument?: unknown, word?: string): Promise<void> {
    const uri = this.#targets.document(argument);
    const placed = uri ? this.#places.of(uri) : [];
    if (!uri || placed.length === 0) {
      tell('no hunk in this file; Review Hunks lists the others');
      return;
    }
    const targets = placed.map((one) => ({ uri, placed: one }));
    await this.#send(verb, { uri: this.#connection.fromUri(uri), ...feedbackOf(word) }, targets);
  }

  async all(verb: Verb): Promise<void> {
    const stops = this.#places.stops();
    if (stops.length === 0) {
      tell('no hunk waits for you');
      return;
    }
    const targets = stops.map(({ uri, placed }) => ({ uri: vscode.Uri.parse(uri, true), placed }));
    await this.#send(verb, { all: true }, targets);
  }

  /** Whose lines are to stand where the user and the agent changed the same. */
  async #resolve(target: Target): Promise<void> {
    const { hunk } = target.placed;
    if (hunk.file !== undefined) {
      void vscode.window.showWarningMessage(
        notification('this can no longer be done, for you changed the text. Undo your change, or reject it.'),
      );
      return;
    }
    const side = await vscode.window.showQuickPick(SIDES, {
      title: 'You and MewCode changed these lines',
      placeHolder: 'Whose are to stand?',
      ignoreFocusOut: true,
    });
    if (side) {
      await this.#send('accept', { hunk: hunk.id, take: side.take }, [target]);
    }
  }

  async #send(verb: Verb, argument: ReviewArguments, targets: readonly Target[]): Promise<void> {
    const result = await this.#connection.execute<DecisionResult>(`mewcode.review.${verb}`, argument);
    const visible = new Set(
      vscode.window.visibleTextEditors.map(({ document }) =>
        (this.#diffs.subjectOf(document.uri)?.uri ?? document.uri).toString(),
      ),
    );
    const files = new Set(targets.map(({ uri }) => uri.toString()));
    // Who sees it happen need not be told, but what was left may be anywhere in a file.
    if ((result.conflicts ?? 0) > 0 || [...files].some((uri) => !visible.has(uri))) {
      const [only] = targets;
      const where = files.size === 1 && only ? path.basename(only.uri.path) : `${files.size} files`;
      tell(decidedWords(verb, result, where));
    }
    this.#closeDiffs(targets);
  }

  /** The diff in which the user decided has nothing to show any more, once the server says so. */
  #closeDiffs(targets: readonly Target[]): void {
    const active = vscode.window.activeTextEditor;
    const subject = active && this.#diffs.subjectOf(active.document.uri);
    if (!subject || !targets.some(({ uri }) => uri.toString() === subject.uri.toString())) {
      return;
    }
    const close = async () => {
      if (this.#diffs.isDecided(subject)) {
        listening.dispose();
        await this.#diffs.close(subject);
      }
    };
    const listening = this.#places.onDidTell(() => void close());
    void close();
  }
}

/** What the agent should know; undefined: nothing is to be decided. */
function askWord(what: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: `Reject ${what}`,
    prompt: 'What the agent should know. Enter rejects, Escape decides nothing.',
    ignoreFocusOut: true,
  });
}

/** Blanks alone say nothing. */
function feedbackOf(word = ''): { feedback?: string } {
  return word.trim() === '' ? {} : { feedback: word };
}
