// What running commands print. It stands in no transcript: it is shown below the text as long as they run. Pure.

import type { SessionEvent } from '../protocol.ts';
import { visible } from './harmless.ts';

/** As many lines of a command are shown. */
const LINES = 5;
const LONGEST_LINE = 500;

/** The newest lines of a command that runs. */
export interface Output {
  title: string;
  lines: string[];
}

export class RunningOutput {
  readonly #titles = new Map<string, string>();
  readonly #outputs = new Map<string, Output>();

  /** In the order in which the commands began to print. */
  get shown(): Output[] {
    return [...this.#outputs.values()];
  }

  /** Whether what is shown is another now. */
  add(event: SessionEvent): boolean {
    if (event.kind === 'call_started') {
      this.#titles.set(event.call, event.title);
    } else if (event.kind === 'output') {
      const title = this.#titles.get(event.call) ?? '';
      this.#outputs.set(event.call, {
        title: visible(title).replaceAll('\n', ' '),
        lines: newest(event.tail),
      });
      return true;
    } else if (event.kind === 'call_ended') {
      this.#titles.delete(event.call);
      return this.#outputs.delete(event.call);
    } else if (event.kind === 'run_ended') {
      return this.clear();
    }
    return false;
  }

  /** All commands have ended. */
  clear(): boolean {
    const some = this.#outputs.size > 0;
    this.#titles.clear();
    this.#outputs.clear();
    return some;
  }
}

function newest(tail: string): string[] {
  const lines = tail.replace(/\s+$/, '').split('\n').slice(-LINES);
  return lines.map((line) => visible(line).slice(0, LONGEST_LINE));
}
