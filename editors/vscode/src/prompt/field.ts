// The field of a prompt: one line at the top of the window, with rows below it. What is typed is kept until it is sent.

import * as vscode from 'vscode';
import type { Row } from './rows.ts';
import { editedAt } from './words.ts';

export interface FieldOptions {
  title: string;
  /** What was typed and not sent. */
  text: string;
  /** The rows for a text with the cursor at a place, at once if they are known. */
  rows(text: string, at: number): Row[] | Promise<Row[]>;
  /** The text is another now. */
  typed(text: string): void;
}

/** The chosen row that ends the field, and the text at that time; undefined if the field was closed. */
export interface Chosen {
  row: Row;
  text: string;
}

export class Field implements vscode.Disposable {
  readonly #pick = vscode.window.createQuickPick<Row>();
  readonly #options: FieldOptions;
  #text = '';
  /** The text that the rows are for; undefined while they are on their way. */
  #shown: string | undefined;
  /** The field is being filled: it may still tell what was typed behind the text that it had. */
  #filling: { before: string; text: string } | undefined;

  constructor(options: FieldOptions) {
    this.#options = options;
    this.#pick.title = options.title;
    this.#pick.placeholder =
      'Say what is to be done. @ names files, @# symbols, / shows what is offered here';
  }

  /** Resolves when a row is chosen that does not only fill the field, or the field is closed. */
  async ask(): Promise<Chosen | undefined> {
    return new Promise((resolve) => {
      this.#pick.onDidChangeValue((text) => {
        this.#hear(text);
      });
      this.#pick.onDidHide(() => {
        resolve(undefined);
      });
      this.#pick.onDidAccept(() => {
        const row = this.#chosen();
        if (row?.choice.kind === 'fill') {
          this.#fill(row.choice.text);
        } else if (row && row.choice.kind !== 'nothing') {
          resolve({ row, text: this.#text });
        }
      });
      this.#show(0);
      this.#pick.show();
      // Not before: what a field shows at first is selected, and the first key would replace it.
      this.#fill(this.#options.text);
    });
  }

  get title(): string {
    return this.#options.title;
  }

  get text(): string {
    return this.#text;
  }

  /** Types, for tests: nothing else can from inside. */
  type(text: string): void {
    this.#fill(text);
  }

  /** The rows that belong to the text; undefined while they are on their way. */
  get rows(): readonly Row[] | undefined {
    return this.#shown === this.#text ? this.#pick.items : undefined;
  }

  dispose(): void {
    this.#pick.dispose();
  }

  /** The row that Enter means. Rows that belong to an earlier text count for nothing. */
  #chosen(): Row | undefined {
    const [active] = this.#pick.activeItems;
    return this.#shown === this.#text && active && this.#pick.items.includes(active) ? active : undefined;
  }

  #fill(text: string): void {
    if (text === this.#text) {
      return;
    }
    this.#filling = { before: this.#text, text };
    this.#pick.value = text;
    this.#change(text);
  }

  /** The window's field is another now. It tells of being filled, too; what was typed before that is put behind. */
  #hear(text: string): void {
    const filling = this.#filling;
    if (filling && !text.startsWith(filling.text) && text.startsWith(filling.before)) {
      const typed = text.slice(filling.before.length);
      if (typed !== '') {
        this.#fill(filling.text + typed);
      }
      return;
    }
    this.#filling = undefined;
    this.#change(text);
  }

  #change(text: string): void {
    if (text !== this.#text) {
      const at = editedAt(this.#text, text);
      this.#text = text;
      this.#options.typed(text);
      this.#show(at);
    }
  }

  #show(at: number): void {
    const text = this.#text;
    this.#shown = undefined;
    const rows = this.#options.rows(text, at);
    if (Array.isArray(rows)) {
      this.#take(text, rows);
    } else {
      this.#pick.busy = true;
      void rows.then((found) => {
        // Only the newest text counts.
        if (this.#text === text) {
          this.#take(text, found);
        }
      });
    }
  }

  #take(text: string, rows: readonly Row[]): void {
    this.#shown = text;
    this.#pick.busy = false;
    this.#pick.items = rows;
    const [first] = rows;
    this.#pick.activeItems = first ? [first] : [];
  }
}
