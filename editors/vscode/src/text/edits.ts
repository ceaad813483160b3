// Text edits of the protocol, checked as a whole before the first of them is carried out, and their way back. Knows nothing
// of VS Code.

import type { Position, Range, TextEdit } from 'vscode-languageclient';
import { isWhole } from './logical.ts';

/** The lines that edits are about. */
export interface Lines {
  readonly count: number;
  /** In UTF-16 units, without the line break. */
  length(line: number): number;
}

/** What is wrong with edits of these lines, if anything. They must be ascending and disjoint, and inside the lines. */
export function fault(edits: readonly TextEdit[], lines: Lines): string | undefined {
  let before: Position = { line: 0, character: 0 };
  for (const { range, newText } of edits) {
    const { start, end } = range;
    const outside = [start, end].find(
      (place) => place.line < 0 || place.character < 0 || place.line >= lines.count,
    );
    if (outside) {
      return `position ${shown(outside)} is outside the ${lines.count} lines of the document`;
    }
    if (isBefore(end, start)) {
      return `the range ${shown(start)}-${shown(end)} ends before it starts`;
    }
    if (isBefore(start, before)) {
      return `two edits overlap in line ${start.line + 1}`;
    }
    // VS Code would make a line break of it, and so another text than the server's.
    if (/\r(?!\n)/.test(newText)) {
      return `the new text at ${shown(start)} has a carriage return alone, which VS Code cannot hold`;
    }
    if (!isWhole(newText)) {
      return `the new text at ${shown(start)} has a half of a character`;
    }
    before = clamp(end, lines);
  }
  return undefined;
}

/** The edits that lead back, for the text after `edits`. */
export function inverse(
  edits: readonly TextEdit[],
  textOf: (range: Range) => string,
  lines: Lines,
): TextEdit[] {
  const back: TextEdit[] = [];
  // Where the old text stops being moved by the same distance: everything behind this place in it…
  let from: Position = { line: 0, character: 0 };
  // …is behind this place in the new one.
  let to: Position = { line: 0, character: 0 };
  for (const { range, newText } of edits) {
    const old = { start: clamp(range.start, lines), end: clamp(range.end, lines) };
    const start = follow(to, from, old.start);
    const end = after(start, newText);
    back.push({ range: { start, end }, newText: textOf(old) });
    from = old.end;
    to = end;
  }
  return back;
}

/** The place behind `text` that begins at `start`. */
function after(start: Position, text: string): Position {
  const lines = text.split(/\r\n|\n/);
  const last = lines.at(-1)?.length ?? 0;
  return lines.length === 1
    ? { line: start.line, character: start.character + last }
    : { line: start.line + lines.length - 1, character: last };
}

/** The place that is as far behind `to` as `place` is behind `from`. */
function follow(to: Position, from: Position, place: Position): Position {
  return place.line === from.line
    ? { line: to.line, character: to.character + place.character - from.character }
    : { line: to.line + place.line - from.line, character: place.character };
}

/** A column behind the end means the end, as the protocol has it. */
function clamp(place: Position, lines: Lines): Position {
  return { line: place.line, character: Math.min(place.character, lines.length(place.line)) };
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}

function shown({ line, character }: Position): string {
  return `${line}:${character}`;
}
