// The two texts of a side-by-side diff: a document without the agent's changes and with them, whichever of them it has
// already. Pure.

import type { Lines } from './carry.ts';
import type { Placed } from './order.ts';

export interface Side {
  text: string;
  /** Where each of the hunks stands in it. */
  places: ReadonlyMap<string, Lines>;
}

export interface Sides {
  without: Side;
  with: Side;
}

/** The lines of a text, as the editor counts them. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** `chosen`: the hunks that the diff is about. What overlaps another is left as it stands. */
export function sidesOf(text: string, chosen: readonly Placed[]): Sides {
  const removal = chosen.find(({ hunk }) => hunk.file === 'remove' && hunk.review === 'before');
  if (removal) {
    const lines = linesOf(text);
    const { id } = removal.hunk;
    return {
      without: { text: lines.join('\n'), places: new Map([[id, { first: 0, last: lines.length }]]) },
      with: { text: '', places: new Map([[id, { first: 0, last: 1 }]]) },
    };
  }
  const lines = linesOf(text);
  const disjoint: Placed[] = [];
  const ordered = chosen
    .filter(({ hunk }) => hunk.file === undefined)
    .sort((a, b) => a.first - b.first || a.last - b.last);
  for (const placed of ordered) {
    if (placed.first >= (disjoint.at(-1)?.last ?? 0)) {
      disjoint.push(placed);
    }
  }
  return {
    without: side(lines, disjoint, ({ hunk }) => (hunk.review === 'after' ? hunk.oldLines : undefined)),
    with: side(lines, disjoint, ({ hunk }) => (hunk.review === 'before' ? hunk.newLines : undefined)),
  };
}

/** Nothing goes, though the empty document of a new file has a line. */
function isInsertion({ hunk }: Placed): boolean {
  return hunk.state === 'proposed' && hunk.oldLines.length === 0;
}

/** `other`: what stands in place of a hunk's lines; undefined leaves them. */
function side(
  lines: readonly string[],
  placed: readonly Placed[],
  other: (placed: Placed) => readonly string[] | undefined,
): Side {
  const out: string[] = [];
  const places = new Map<string, Lines>();
  let done = 0;
  for (const one of placed) {
    const first = Math.min(one.first, lines.length);
    const last = isInsertion(one) ? first : Math.min(one.last, lines.length);
    out.push(...lines.slice(done, first));
    const start = out.length;
    out.push(...(other(one) ?? lines.slice(first, last)));
    places.set(one.hunk.id, { first: start, last: out.length });
    done = last;
  }
  out.push(...lines.slice(done));
  return { text: out.join('\n'), places };
}
