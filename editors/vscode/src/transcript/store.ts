// The transcripts that somebody shows: fetched from the server and grown by its events. Shows nothing. What has not been shown
// for a while is fetched again when it is wanted.

import * as vscode from 'vscode';
import type { Envelope, TranscriptResult } from '../protocol.ts';
import { TRANSCRIPT } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import { words } from '../ui/report.ts';
import { Turn } from './entries.ts';
import { Growth } from './growth.ts';
import { type Output, RunningOutput } from './output.ts';

/** Rest between two changes that are told, and two fetches, of a short text. */
const PAUSE_MILLISECONDS = 80;
/** A long text is told of more seldom: so many characters make a millisecond more. */
const CHARACTERS_A_MILLISECOND = 5000;

const GONE = 'The server that ran this session has ended. This is what it said until then.';

/** A transcript as it is now. */
export interface Shown {
  session: string;
  text: string;
  /** So much of the text stands as it did when it was told of before. */
  unchanged: number;
  outputs: readonly Output[];
  /** What there is to say of the text itself; empty if nothing. */
  note: string;
}

interface Entry {
  growth: Growth;
  output: RunningOutput;
  note: string;
  holders: number;
  /** Events that came while the text was on its way. */
  missed: Envelope[] | undefined;
  /** The fetch under way, or the last one. */
  fetching: Promise<void>;
  /** It is to be fetched, soon. */
  fetchTimer: NodeJS.Timeout | undefined;
  tellTimer: NodeJS.Timeout | undefined;
}

export class Transcripts implements vscode.Disposable {
  readonly #connection: Connection;
  readonly #entries = new Map<string, Entry>();
  readonly #turns = new Map<string, Turn>();
  readonly #changed = new vscode.EventEmitter<Shown>();
  readonly #listening: vscode.Disposable[];

  /** A transcript has changed that is held. */
  readonly onDidChange = this.#changed.event;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#listening = [
      connection.onEvent((envelope) => {
        this.#add(envelope);
      }),
      connection.onDidChangePhase((phase) => {
        if (phase === 'running') {
          this.#begin();
        } else if (phase === 'stopped' || phase === 'failed' || phase === 'starting') {
          this.#lose();
        }
      }),
    ];
  }

  /** The session whose transcript this is; without one the server's present one. */
  async find(session: string | undefined): Promise<string> {
    const params = session === undefined ? {} : { session };
    if (session !== undefined && this.#entries.has(session)) {
      return session;
    }
    return (await this.#connection.request<TranscriptResult>(TRANSCRIPT, params)).session;
  }

  /** Keeps a transcript up to date until the result is disposed of. `text`: what it was when the window was closed. */
  hold(session: string, text = ''): vscode.Disposable {
    let entry = this.#entries.get(session);
    if (!entry) {
      entry = {
        growth: new Growth(),
        output: new RunningOutput(),
        note: text === '' ? '' : GONE,
        holders: 0,
        missed: undefined,
        fetching: Promise.resolve(),
        fetchTimer: undefined,
        tellTimer: undefined,
      };
      entry.growth.take({ session, markdown: text, sequence: 0 }, undefined);
      this.#entries.set(session, entry);
      void this.#fetch(session, entry);
    }
    const held = entry;
    held.holders++;
    return new vscode.Disposable(() => {
      held.holders--;
      if (held.holders === 0 && this.#entries.get(session) === held) {
        this.#drop(session, held);
      }
    });
  }

  /** As it is now. Undefined if nobody holds it. */
  get(session: string): Shown | undefined {
    const entry = this.#entries.get(session);
    return entry && this.#shown(session, entry, 0);
  }

  /** Resolves when what was asked of the server has come. */
  async settled(session: string): Promise<void> {
    await this.#entries.get(session)?.fetching;
  }

  dispose(): void {
    for (const [session, entry] of this.#entries) {
      this.#drop(session, entry);
    }
    for (const one of this.#listening) {
      one.dispose();
    }
    this.#changed.dispose();
  }

  #drop(session: string, entry: Entry): void {
    clearTimeout(entry.fetchTimer);
    clearTimeout(entry.tellTimer);
    this.#entries.delete(session);
  }

  #add(envelope: Envelope): void {
    const { session, event } = envelope;
    let turn = this.#turns.get(session);
    if (!turn) {
      turn = new Turn();
      this.#turns.set(session, turn);
    }
    turn.add(envelope);
    const entry = this.#entries.get(session);
    if (!entry) {
      return;
    }
    entry.missed?.push(envelope);
    const isOther = entry.output.add(event);
    const effect = entry.growth.add(envelope);
    if (effect === 'fetch') {
      this.#fetchSoon(session, entry);
    }
    if (effect === 'grown' || isOther) {
      this.#tellSoon(session, entry);
    }
  }

  #fetch(session: string, entry: Entry): Promise<void> {
    clearTimeout(entry.fetchTimer);
    entry.fetchTimer = undefined;
    // A second fetch begins when the first has come.
    entry.fetching = entry.fetching.then(() => this.#ask(session, entry));
    return entry.fetching;
  }

  async #ask(session: string, entry: Entry): Promise<void> {
    const later: Envelope[] = [];
    entry.missed = later;
    try {
      const result = await this.#connection.request<TranscriptResult>(TRANSCRIPT, { session });
      entry.growth.take(result, this.#turns.get(session)?.upTo(result.sequence));
      entry.note = '';
      const effects = later.map((envelope) => entry.growth.add(envelope));
      if (effects.includes('fetch')) {
        this.#fetchSoon(session, entry);
      }
    } catch (error) {
      // What is there stays. A server refuses only sessions that are not its own.
      entry.note = entry.growth.text === '' ? words(error) : GONE;
    } finally {
      entry.missed = undefined;
    }
    this.#tellSoon(session, entry);
  }

  #fetchSoon(session: string, entry: Entry): void {
    entry.fetchTimer ??= setTimeout(() => {
      void this.#fetch(session, entry);
    }, pause(entry));
  }

  #tellSoon(session: string, entry: Entry): void {
    entry.tellTimer ??= setTimeout(() => {
      entry.tellTimer = undefined;
      this.#changed.fire(this.#shown(session, entry, entry.growth.unchanged()));
    }, pause(entry));
  }

  #shown(session: string, entry: Entry, unchanged: number): Shown {
    const { growth, output, note } = entry;
    return { session, text: growth.text, unchanged, outputs: output.shown, note };
  }

  /** A server runs: it may know the sessions, or not. */
  #begin(): void {
    for (const [session, entry] of this.#entries) {
      this.#fetchSoon(session, entry);
    }
  }

  /** The server has ended, and what it ran. */
  #lose(): void {
    this.#turns.clear();
    for (const [session, entry] of this.#entries) {
      entry.output.clear();
      entry.note = GONE;
      this.#tellSoon(session, entry);
    }
  }
}

function pause(entry: Entry): number {
  return PAUSE_MILLISECONDS + Math.round(entry.growth.text.length / CHARACTERS_A_MILLISECOND);
}
