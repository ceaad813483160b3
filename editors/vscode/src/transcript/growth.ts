// The text of one session's transcript: what the server said last, and what events added since, in the server's own form. Knows
// no editor and no server.

import type { Envelope, SessionEvent, TranscriptResult } from '../protocol.ts';
import type { Call, CallEnd, Entry } from './entries.ts';
import { endsList, isOpenList, write } from './entries.ts';

/** What an event did: it changed the text, or nothing, or the text must be fetched, for its place is the server's to know. */
export type Effect = 'grown' | 'nothing' | 'fetch';

export class Growth {
  #fetched = '';
  /** What came after it. */
  #entries: Entry[] = [];
  /** Each as it is written, with what separates it from the one before. Those from `#dirty` on are not written yet. */
  #written: string[] = [];
  #dirty = 0;
  #text: string | undefined = '';
  #changedFrom = 0;
  /** What the model says next begins an entry, or goes on with the last of `#entries`: not with what stands in `#fetched`. */
  #knowsEnd = false;
  #sequence = 0;

  /** Of the last event in the text. */
  get sequence(): number {
    return this.#sequence;
  }

  get text(): string {
    this.#write();
    this.#text ??= this.#fetched + this.#written.join('');
    return this.#text;
  }

  /** How much of the text stands as it did when this was asked before. */
  unchanged(): number {
    this.#write();
    const from = Math.min(this.#changedFrom, this.text.length);
    this.#changedFrom = this.text.length;
    return from;
  }

  /** Takes the server's text. `turn`: what the model has said in its present turn up to there; undefined if that is not known. */
  take({ markdown, sequence }: TranscriptResult, turn: Entry[] | undefined): void {
    const before = this.text;
    const said = turn && this.#tail(markdown, turn);
    this.#knowsEnd = said !== undefined;
    this.#fetched = markdown.slice(0, markdown.length - (said ?? '').length);
    this.#entries = said === undefined ? [] : (turn ?? []);
    this.#written = [];
    this.#dirty = 0;
    this.#text = undefined;
    this.#sequence = sequence;
    this.#changedFrom = Math.min(this.#changedFrom, same(before, markdown));
  }

  add({ sequence, event }: Envelope): Effect {
    if (sequence <= this.#sequence) {
      return 'nothing';
    }
    if (sequence > this.#sequence + 1) {
      return 'fetch';
    }
    const effect = this.#grow(event);
    // What has to be fetched is not in the text, and neither is what follows it.
    if (effect !== 'fetch') {
      this.#sequence = sequence;
    }
    return effect;
  }

  #grow(event: SessionEvent): Effect {
    switch (event.kind) {
      case 'run_started':
        return this.#push({ kind: 'prompt', text: event.prompt });
      case 'text':
      case 'thinking':
        return this.#say(event.kind, event.delta);
      case 'call_started':
        return this.#push({ kind: 'call', call: event.call, title: event.title, purpose: event.purpose });
      case 'call_ended':
        return this.#endCall(event);
      case 'retrying':
        return this.#retry(event);
      case 'run_ended':
      case 'plan':
      case 'approval_asked':
      case 'approval_answered':
      case 'rule_added':
        return 'fetch';
      case 'output':
      case 'usage':
        return 'nothing';
    }
  }

  #say(kind: 'text' | 'thinking', delta: string): Effect {
    const last = this.#entries.at(-1);
    if (last?.kind === kind) {
      last.text += delta;
      this.#changed(this.#entries.length - 1);
      return 'grown';
    }
    // What was fetched ends in a line break, also where more of the same words follows.
    return last || this.#knowsEnd ? this.#push({ kind, text: delta }) : 'fetch';
  }

  #endCall(event: Extract<SessionEvent, { kind: 'call_ended' }>): Effect {
    const index = this.#entries.findLastIndex((entry) => entry.kind === 'call' && entry.call === event.call);
    const call = this.#entries[index] as Call | undefined;
    if (!call) {
      return 'fetch';
    }
    const end: CallEnd = {
      status: event.status,
      words: event.error_kind === undefined ? event.summary : `${event.error_kind}: ${event.summary}`,
      output: event.output,
      files: event.files ?? [],
    };
    this.#entries[index] = { ...call, end };
    this.#changed(index);
    return 'grown';
  }

  /** The model is asked again: what it said in this turn is void. */
  #retry({ attempt, attempts, reason }: Extract<SessionEvent, { kind: 'retrying' }>): Effect {
    let kept = this.#entries.length;
    while (kept > 0 && isSaid(this.#entries[kept - 1])) {
      kept--;
    }
    if (kept === 0 && !this.#knowsEnd) {
      return 'fetch';
    }
    this.#changed(kept);
    this.#entries.length = kept;
    return this.#push({ kind: 'note', text: `Retry ${attempt} of ${attempts}: ${reason}` });
  }

  #push(entry: Entry): Effect {
    this.#entries.push(entry);
    this.#changed(this.#entries.length - 1);
    return 'grown';
  }

  /** What is written of the entries from this one on is out of date. */
  #changed(index: number): void {
    if (index < this.#dirty) {
      const kept = this.#written.slice(0, index);
      const start = kept.reduce((sum, one) => sum + one.length, this.#fetched.length);
      this.#changedFrom = Math.min(this.#changedFrom, start);
      this.#written = kept;
      this.#dirty = index;
    }
    this.#text = undefined;
  }

  #write(): void {
    for (; this.#dirty < this.#entries.length; this.#dirty++) {
      const entry = this.#entries[this.#dirty];
      const before = this.#dirty === 0 ? undefined : this.#entries[this.#dirty - 1];
      const inList = before ? isOpenList(before) : endsList(this.#fetched);
      this.#written[this.#dirty] = entry ? write(entry, inList) : '';
    }
  }

  /** The end of the server's text that is this turn of the model; undefined if it is not there. */
  #tail(markdown: string, turn: readonly Entry[]): string | undefined {
    const tail = turn.map((entry) => write(entry, false)).join('');
    return markdown.endsWith(tail) ? tail : undefined;
  }
}

function isSaid(entry: Entry | undefined): boolean {
  return entry?.kind === 'text' || entry?.kind === 'thinking';
}

/** How many characters from the beginning are the same. */
function same(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  const STEP = 4096;
  let at = 0;
  while (at + STEP <= most && a.slice(at, at + STEP) === b.slice(at, at + STEP)) {
    at += STEP;
  }
  while (at < most && a[at] === b[at]) {
    at++;
  }
  return at;
}
