// What is to be seen of a hunk in its document: which real lines are marked, and what stands below them that is not in the
// document. Pure: knows no colours and no editor.

import type { Hunk } from '../protocol.ts';
import type { Placed } from './order.ts';
import { seenAt } from './order.ts';

/** What is said of real lines: they would go, they came, both sides changed them. */
export type Mark = 'removed' | 'added' | 'conflict';
export type Sign = 'add' | 'remove' | 'change' | 'conflict';

/** The other side of a hunk, which no line of the document holds. */
export interface Block {
  label: string;
  lines: readonly string[];
  /** Lines of it that are not shown. */
  missing: number;
  /** A sentence in place of lines. */
  note?: string;
}

export interface Look {
  mark: Mark | undefined;
  sign: Sign;
  /** The marked lines; without a mark the one line with the sign. */
  first: number;
  last: number;
  block: Block | undefined;
}

const MAX_LINES = 60;
const MAX_CHARACTERS = 400;

/** `lineCount`: of the document, 1 for an empty one. */
export function lookOf(placed: Placed, lineCount: number): Look {
  const { hunk } = placed;
  const sign = signOf(hunk);
  const mark = markOf(hunk);
  const first = Math.min(placed.first, lineCount);
  const last = Math.min(placed.last, lineCount);
  if (mark !== undefined && first < last) {
    return { mark, sign, first, last, block: blockOf(hunk) };
  }
  const seen = hunk.file === undefined ? Math.min(seenAt(placed), lineCount - 1) : 0;
  return { mark: undefined, sign, first: seen, last: seen + 1, block: blockOf(hunk) };
}

function signOf({ state, file, oldLines, newLines }: Hunk): Sign {
  if (state === 'conflicted') {
    return 'conflict';
  }
  if (file !== undefined) {
    return file === 'remove' ? 'remove' : 'change';
  }
  return oldLines.length === 0 ? 'add' : newLines.length === 0 ? 'remove' : 'change';
}

function markOf({ state, file, oldLines, newLines }: Hunk): Mark | undefined {
  if (file !== undefined) {
    return file === 'remove' && state === 'proposed' ? 'removed' : undefined;
  }
  if (state === 'conflicted') {
    return 'conflict';
  }
  if (state === 'applied') {
    return newLines.length > 0 ? 'added' : undefined;
  }
  // A new file has no old lines, though its empty document has one.
  return oldLines.length > 0 ? 'removed' : undefined;
}

function blockOf(hunk: Hunk): Block | undefined {
  const { state, file, title = '', oldLines, newLines } = hunk;
  if (file !== undefined) {
    const [label, note] =
      state === 'conflicted'
        ? [`${title}: no longer possible`, 'You changed the text. Undo your change, or reject this.']
        : state === 'proposed'
          ? [`${title}?`, 'Nothing has happened yet.']
          : [title, 'Rejecting this undoes it.'];
    return { label, lines: [], missing: 0, note };
  }
  if (state === 'applied') {
    const label = newLines.length === 0 ? 'MewCode removed here:' : 'MewCode put this in place of:';
    return oldLines.length > 0 ? { label, ...shortened(oldLines) } : undefined;
  }
  if (newLines.length === 0) {
    return state === 'conflicted'
      ? {
          label: 'You changed this too. MewCode would remove it.',
          lines: [],
          missing: 0,
          note: 'Keep whose?',
        }
      : undefined;
  }
  const label =
    state === 'conflicted'
      ? 'You changed this too. MewCode would write:'
      : oldLines.length === 0
        ? 'MewCode would add here:'
        : 'MewCode would write instead:';
  return { label, ...shortened(newLines) };
}

/** The first lines, none of them endless. */
function shortened(lines: readonly string[]): { lines: string[]; missing: number } {
  // One line less is never worth a line that says so.
  const count = lines.length > MAX_LINES + 1 ? MAX_LINES : lines.length;
  return {
    lines: lines
      .slice(0, count)
      .map((line) => (line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line)),
    missing: lines.length - count,
  };
}

/** A hunk as a unified diff without a header, for a hover. */
export function diffText({ oldLines, newLines }: Hunk): string {
  const side = (sign: string, all: readonly string[]) => {
    const { lines, missing } = shortened(all);
    return [...lines.map((line) => sign + line), ...(missing > 0 ? [`${sign}… ${missing} more lines`] : [])];
  };
  return [...side('-', oldLines), ...side('+', newLines)].join('\n');
}

/** "+3 −2". */
export function sizeOf({ added, removed }: Hunk): string {
  return `+${added} −${removed}`;
}

/** What a hunk does, in a few words of our own: the server's for a whole file, else its size. */
export function whatOf(hunk: Hunk): string {
  const what = hunk.title ?? sizeOf(hunk);
  return hunk.state === 'conflicted' ? `${what}, conflict` : what;
}
