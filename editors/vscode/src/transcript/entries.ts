// What stands in a transcript beside what was fetched, and how the server would write it. Knows no session.

import type { CallStatus, Envelope, FileChange, SessionEvent } from '../protocol.ts';
import * as harmless from './harmless.ts';

export interface CallEnd {
  status: CallStatus;
  words: string;
  /** What a command printed. */
  output?: string | undefined;
  files: FileChange[];
}

export interface Call {
  kind: 'call';
  call: string;
  title: string;
  /** What it is for, in the model's words. */
  purpose?: string | undefined;
  end?: CallEnd;
}

export type Entry = { kind: 'prompt' | 'text' | 'thinking' | 'note'; text: string } | Call;

/** How a call ended, at the beginning of its line. */
const OUTCOMES: Record<CallStatus, string> = {
  ok: '✓',
  failed: '✗ failed,',
  denied: '✗ denied,',
  interrupted: '✗ interrupted,',
  unknown_outcome: '? outcome unknown,',
};

/** An entry with what separates it from the one before; `inList`: that is a list of calls, which this one may go on with. */
export function write(entry: Entry, inList: boolean): string {
  switch (entry.kind) {
    case 'prompt':
      return `\n## Prompt\n\n${harmless.quoted(entry.text)}\n`;
    case 'text':
      return `\n${harmless.markdown(harmless.trim(entry.text))}\n`;
    case 'thinking':
      return `\nThinking:\n\n${harmless.quoted(entry.text)}\n`;
    case 'note':
      return `\n*${harmless.words(entry.text)}*\n`;
    case 'call':
      return `${inList ? '' : '\n'}${writeCall(entry)}`;
  }
}

function writeCall({ title, purpose, end }: Call): string {
  const shown = harmless.code(title) + (purpose === undefined ? '' : ` (${harmless.words(purpose)})`);
  if (!end) {
    return `- … ${shown}\n`;
  }
  const blocks = blocksOf(end).map((block) => `\n${block}`);
  return `- ${OUTCOMES[end.status]} ${shown}: ${harmless.words(end.words)}\n${blocks.join('')}`;
}

/** What stands below a call's line, which ends the list: what a command printed, and diffs. */
function blocksOf({ output, files }: CallEnd): string[] {
  const diffs = files.filter((file) => file.diff !== '').map(writeDiff);
  return output === undefined ? diffs : [harmless.fenced('output', output), ...diffs];
}

/** Whether a call that follows stands in the same list. */
export function isOpenList(entry: Entry): boolean {
  return entry.kind === 'call' && (!entry.end || blocksOf(entry.end).length === 0);
}

function writeDiff({ path, moved_to, sha256_before, sha256_after, diff }: FileChange): string {
  const before = sha256_before === undefined ? '/dev/null' : path;
  const after = sha256_after === undefined ? '/dev/null' : (moved_to ?? path);
  return harmless.fenced('diff', `--- ${before}\n+++ ${after}\n${diff}`);
}

/** Whether a text of the server's ends in a list of calls. */
export function endsList(markdown: string): boolean {
  const last = markdown.slice(markdown.lastIndexOf('\n', markdown.length - 2) + 1);
  return /^(- […✓✗?] | {2}- )/.test(last);
}

/** What the model says after these stands in an entry of its own. */
const BEGINNINGS = new Set<SessionEvent['kind']>(['run_started', 'call_started', 'plan', 'retrying']);

/** What the model has said in its present turn, of which the server's text may hold a part. */
export class Turn {
  /** Undefined until an event is seen that begins one. */
  #begun: number | undefined;
  #said: { sequence: number; kind: 'text' | 'thinking'; delta: string }[] = [];

  add({ sequence, event }: Envelope): void {
    if (event.kind === 'text' || event.kind === 'thinking') {
      this.#said.push({ sequence, kind: event.kind, delta: event.delta });
    } else if (BEGINNINGS.has(event.kind)) {
      this.#begun = sequence;
      this.#said = [];
    }
  }

  /** Up to an event; undefined if that is not known. */
  upTo(sequence: number): Entry[] | undefined {
    if (this.#begun === undefined || this.#begun > sequence) {
      return undefined;
    }
    const entries: { kind: 'text' | 'thinking'; text: string }[] = [];
    for (const { kind, delta } of this.#said.filter((one) => one.sequence <= sequence)) {
      const last = entries.at(-1);
      if (last?.kind === kind) {
        last.text += delta;
      } else {
        entries.push({ kind, text: delta });
      }
    }
    return entries;
  }
}
