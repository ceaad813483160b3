// Which hunk is meant: the one at a line, the next, the one before. Pure.

import type { Hunk } from '../protocol.ts';
import type { Lines } from './carry.ts';

/** A hunk where it stands now. */
export interface Placed extends Lines {
  hunk: Hunk;
}

/** A hunk in the order of all: by document, then by line. */
export interface Stop {
  uri: string;
  placed: Placed;
}

/** The line where a hunk is seen: its first, or the one over the place where lines are missing. */
export function seenAt({ first, last }: Lines): number {
  return first < last ? first : Math.max(first - 1, 0);
}

/**
 * The one hunk at a line: one that holds it, the smallest if the agent changed lines of its own again, else an insertion
 * beside it, else the one about the whole file.
 */
export function hunkAt(all: readonly Placed[], line: number): Placed | undefined {
  let on: Placed | undefined;
  let beside: Placed | undefined;
  let whole: Placed | undefined;
  for (const placed of all) {
    const { hunk, first, last } = placed;
    if (hunk.file !== undefined) {
      whole ??= placed;
    } else if (first === last) {
      beside ??= first === line || first === line + 1 ? placed : undefined;
    } else if (first <= line && line < last && (!on || last - first <= on.last - on.first)) {
      on = placed;
    }
  }
  return on ?? beside ?? whole;
}

/** All stops in their order. */
export function inOrder(stops: readonly Stop[]): Stop[] {
  return [...stops].sort(
    (a, b) =>
      (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0) ||
      seenAt(a.placed) - seenAt(b.placed) ||
      a.placed.first - b.placed.first ||
      a.placed.last - b.placed.last,
  );
}

/** Where the cursor is, and the hunk that it was brought to last, if it is still there. */
export interface From {
  uri: string;
  line: number;
  hunk?: string | undefined;
}

/** The index of the next stop, or the one before; goes round at the ends. -1 if there is none. */
export function step(stops: readonly Stop[], from: From | undefined, direction: 1 | -1): number {
  const count = stops.length;
  if (count === 0) {
    return -1;
  }
  if (!from) {
    return direction > 0 ? 0 : count - 1;
  }
  const current = stops.findIndex(
    ({ uri, placed }) => uri === from.uri && placed.hunk.id === from.hunk && seenAt(placed) === from.line,
  );
  if (current >= 0) {
    return (current + direction + count) % count;
  }
  const compare = ({ uri, placed }: Stop) =>
    uri === from.uri ? seenAt(placed) - from.line : uri < from.uri ? -1 : 1;
  if (direction > 0) {
    return Math.max(
      stops.findIndex((stop) => compare(stop) > 0),
      0,
    );
  }
  const before = stops.findLastIndex((stop) => compare(stop) < 0);
  return before < 0 ? count - 1 : before;
}
