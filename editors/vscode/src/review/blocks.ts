// The other side of each hunk, shown between the lines of the document though it is no part of it. VS Code has one means for
// that: comment threads. Nobody can reply; folding one away decides nothing.

import * as vscode from 'vscode';
import { documentAt } from '../text/documents.ts';
import { oneLine } from '../ui/literal.ts';
import { lookOf, whatOf, type Block } from './look.ts';
import type { Placed } from './order.ts';
import type { Places } from './places.ts';

/** More threads than this in one document make the editor slow; the marks and lenses of the others stay. */
const MOST = 100;

/** More of a reason is not shown above its block. */
const LONGEST_REASON = 120;

interface Shown {
  thread: vscode.CommentThread;
  /** What its text is made of. */
  content: string;
}

export class Blocks implements vscode.Disposable {
  readonly #places: Places;
  readonly #controller = vscode.comments.createCommentController('mewcode', 'MewCode');
  /** By document, then by hunk. */
  readonly #shown = new Map<string, Map<string, Shown>>();
  readonly #hunks = new WeakMap<vscode.CommentThread, string>();
  readonly #listening: vscode.Disposable;

  constructor(places: Places) {
    this.#places = places;
    this.#controller.options = { prompt: '', placeHolder: '' };
    this.#listening = vscode.Disposable.from(
      places.onDidTell((uri) => {
        this.#show(uri);
      }),
      this.#controller,
    );
  }

  /** The hunk whose other side is shown by this thread. */
  hunkOf(thread: object): string | undefined {
    return this.#hunks.get(thread as vscode.CommentThread);
  }

  /** What is shown in a document. */
  of(uri: vscode.Uri): ReadonlyMap<string, vscode.CommentThread> {
    const shown = this.#shown.get(uri.toString()) ?? new Map<string, Shown>();
    return new Map([...shown].map(([id, { thread }]) => [id, thread]));
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #show(uri: vscode.Uri): void {
    const key = uri.toString();
    const before = this.#shown.get(key) ?? new Map<string, Shown>();
    const now = new Map<string, Shown>();
    const document = documentAt(uri);
    for (const placed of document ? this.#places.of(uri) : []) {
      const { block, last } = lookOf(placed, document?.lineCount ?? 1);
      if (!block || now.size === MOST) {
        continue;
      }
      const { id } = placed.hunk;
      // One line only: VS Code paints the lines of a thread over the marks of ours.
      const row = placed.hunk.file === undefined ? last - 1 : 0;
      const range = new vscode.Range(row, 0, row, 0);
      now.set(id, this.#thread(uri, before.get(id), placed, block, range, document?.languageId ?? ''));
    }
    for (const [id, { thread }] of before) {
      if (!now.has(id)) {
        thread.dispose();
      }
    }
    if (now.size > 0) {
      this.#shown.set(key, now);
    } else {
      this.#shown.delete(key);
    }
  }

  /** Changes what is there rather than making it anew, which would flicker and open what the user folded. */
  #thread(
    uri: vscode.Uri,
    shown: Shown | undefined,
    { hunk }: Placed,
    block: Block,
    range: vscode.Range,
    language: string,
  ): Shown {
    const content = JSON.stringify([block, hunk.state, hunk.reason, language]);
    if (shown && shown.thread.range?.isEqual(range) !== true) {
      shown.thread.range = range;
    }
    if (shown?.content === content) {
      return shown;
    }
    const comment: vscode.Comment = {
      author: { name: `${whatOf(hunk)} · ${hunk.tool}` },
      label: oneLine(hunk.reason, LONGEST_REASON),
      body: bodyOf(block, language),
      mode: vscode.CommentMode.Preview,
    };
    const thread = shown?.thread ?? this.#controller.createCommentThread(uri, range, [comment]);
    thread.comments = [comment];
    thread.label = block.label;
    thread.contextValue = hunk.state;
    if (!shown) {
      thread.canReply = false;
      thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
      this.#hunks.set(thread, hunk.id);
    }
    return { thread, content };
  }
}

function bodyOf({ lines, missing, note }: Block, language: string): vscode.MarkdownString {
  const body = new vscode.MarkdownString();
  if (lines.length > 0) {
    body.appendCodeblock(lines.join('\n'), language);
  }
  if (missing > 0) {
    body.appendText(`… ${missing} more lines: the diff shows all.`);
  }
  if (note !== undefined) {
    body.appendText(note);
  }
  return body;
}
