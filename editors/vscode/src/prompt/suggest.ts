// Which rows belong to what is typed: completions of a mention, offers of the server, earlier prompts.

import * as vscode from 'vscode';
import type { Connection } from '../server/connection.ts';
import { words } from '../ui/report.ts';
import { FileList, pathOf, type Recent } from './files.ts';
import type { History } from './history.ts';
import { best } from './fuzzy.ts';
import { type Offer, offersAt } from './offers.ts';
import { completionRow, historyRow, matching, noteRow, offerRow, type Row, sendRow } from './rows.ts';
import type { Subject } from './subject.ts';
import * as symbols from './symbols.ts';
import { complete, mentionOf, type Word, wordAt } from './words.ts';

const MOST = 50;
const MOST_HISTORY = 20;

/** For as long as one field is open. */
export class Suggestions implements vscode.Disposable {
  readonly #connection: Connection;
  readonly #history: History;
  readonly #subject: Subject;
  readonly #files: FileList;
  #offers: Promise<Offer[]> | undefined;

  constructor(connection: Connection, history: History, subject: Subject, recent: Recent) {
    this.#connection = connection;
    this.#history = history;
    this.#subject = subject;
    this.#files = new FileList(recent);
  }

  /** The rows for a text with the cursor at a place. What Enter does comes first. */
  rows(text: string, at: number): Row[] | Promise<Row[]> {
    const word = wordAt(text, at);
    if (!word) {
      return this.#plain(text);
    }
    return this.#completions(text, word).catch((error: unknown) => [noteRow(words(error)), sendRow()]);
  }

  /** The offers that the rows speak of. */
  async offers(): Promise<Offer[]> {
    this.#offers ??= offersAt(this.#connection, this.#subject);
    return this.#offers;
  }

  dispose(): void {
    this.#files.dispose();
  }

  #plain(text: string): Row[] {
    const sent = matching(text, this.#history.sent).slice(0, MOST_HISTORY);
    const rows = sent.map((one) => historyRow(one));
    return text.trim() === '' ? rows : [sendRow(), ...rows];
  }

  async #completions(text: string, word: Word): Promise<Row[]> {
    switch (word.kind) {
      case 'file': {
        const found = await this.#files.find(word.query, MOST);
        const rows = found.map(({ path }) => {
          const slash = path.lastIndexOf('/');
          const folder = path.slice(0, Math.max(slash, 0));
          return completionRow('file', path.slice(slash + 1), folder, complete(text, word, mentionOf(path)));
        });
        return [...rows, sendRow()];
      }
      case 'symbol':
        return [...(await this.#symbols(word)).map((found) => symbolRow(text, word, found)), sendRow()];
      case 'command':
        return this.#commands(text, word);
    }
  }

  async #symbols({ path, query }: Extract<Word, { kind: 'symbol' }>): Promise<symbols.FoundSymbol[]> {
    if (path === undefined) {
      return symbols.ofWorkspace(query, MOST);
    }
    const [file] = (await this.#files.find(path, 1)).filter(
      (one) => one.path.toLowerCase() === path.toLowerCase(),
    );
    return file ? symbols.ofFile(file.uri, query, MOST) : [];
  }

  async #commands(text: string, word: Extract<Word, { kind: 'command' }>): Promise<Row[]> {
    const offers = await this.offers();
    const index = offers.findIndex((offer) => offer.name === word.query);
    const exact = offers[index];
    if (exact) {
      const choice = { kind: 'offer', index, words: word.rest.trim() } as const;
      return [offerRow(exact.name, exact.title, choice), sendRow()];
    }
    const named = offers.map((offer) => ({
      lower: `${offer.name} ${offer.title}`.toLowerCase(),
      value: offer,
    }));
    const rows = best(word.query, named, MOST).map(({ name, title }) =>
      offerRow(name, title, { kind: 'fill', text: complete(text, word, `/${name}`) }),
    );
    if (rows.length === 0 && word.query === '') {
      rows.push(noteRow('Nothing is offered here: select code, or put the cursor into a definition'));
    }
    return [...rows, sendRow()];
  }
}

function symbolRow(text: string, word: Word, { name, kind, uri, range }: symbols.FoundSymbol): Row {
  const lines = { from: range.start.line + 1, to: range.end.line + 1 };
  const path = pathOf(uri);
  const icon = `symbol-${((vscode.SymbolKind[kind] as string | undefined) ?? 'misc').replace(/\B([A-Z])/g, '-$1').toLowerCase()}`;
  return completionRow(icon, name, `${path}:${lines.from}`, complete(text, word, mentionOf(path, lines)));
}
