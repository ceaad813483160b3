// Cuts a transcript into pieces that can be rendered one by one, so that what grows at its end leaves the rest alone. Pure.

import { fenceAfter, fenceMark } from './harmless.ts';

/** Many small pieces cost more than they save. */
const SMALLEST = 2000;

export class Chunks {
  #all: string[] = [];
  readonly #smallest: number;

  constructor(smallest = SMALLEST) {
    this.#smallest = smallest;
  }

  get all(): readonly string[] {
    return this.#all;
  }

  /** Takes a text that has stood unchanged up to `unchanged`. Returns the first piece that is another now. */
  update(text: string, unchanged: number): number {
    let index = 0;
    let start = 0;
    // Where a piece ends depends on the character behind it.
    for (; index < this.#all.length; index++) {
      const next = start + (this.#all[index]?.length ?? 0);
      if (next >= unchanged) {
        break;
      }
      start = next;
    }
    this.#all.length = index;
    this.#all.push(...cut(text, start, this.#smallest));
    return index;
  }
}

/** A piece ends where a line begins without indentation behind an empty one, outside a fence. */
function cut(text: string, start: number, smallest: number): string[] {
  const pieces: string[] = [];
  let begin = start;
  let fence: string | undefined;
  let afterEmpty = false;
  for (let at = start; at < text.length;) {
    const end = text.indexOf('\n', at);
    const next = end === -1 ? text.length : end + 1;
    const first = text[at];
    const isEmpty = first === '\n';
    const isLong = at - begin >= smallest;
    if (isLong && afterEmpty && !isEmpty && first !== ' ' && first !== '\t' && fence === undefined) {
      pieces.push(text.slice(begin, at));
      begin = at;
    }
    if (!isEmpty && (first === '`' || first === '~' || first === ' ')) {
      const line = text.slice(at, next);
      fence = fenceAfter(fence, line, fenceMark(line));
    }
    afterEmpty = isEmpty;
    at = next;
  }
  if (begin < text.length) {
    pieces.push(text.slice(begin));
  }
  return pieces;
}
