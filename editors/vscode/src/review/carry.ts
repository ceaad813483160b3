// Where lines stand after a change of the document. Pure: knows neither hunks nor the editor.

/** A run of whole lines, from 0; `last` is the line after them. Without lines it is a place between two. */
export interface Lines {
  first: number;
  last: number;
}

/** The text between two positions was replaced. */
export interface Change {
  startLine: number;
  endLine: number;
  endCharacter: number;
  /** Line breaks in the new text. */
  breaks: number;
  /** The new text ends with a line break. */
  endsLine: boolean;
}

/** A change as the editor tells it, without its text. */
export function changeOf(
  range: { start: { line: number; character: number }; end: { line: number; character: number } },
  text: string,
): Change {
  return {
    startLine: range.start.line,
    endLine: range.end.line,
    endCharacter: range.end.character,
    breaks: text.match(/\r\n|\r|\n/g)?.length ?? 0,
    endsLine: /[\r\n]$/.test(text),
  };
}

/** Where the lines stand after one change. A change inside them belongs to them. */
export function carry({ first, last }: Lines, change: Change): Lines {
  const { startLine, endLine, endCharacter, breaks, endsLine } = change;
  const delta = breaks - (endLine - startLine);
  const endsAtFirst = endLine === first && endCharacter === 0 && (startLine < first || endsLine);
  if (endLine < first || endsAtFirst) {
    return { first: first + delta, last: last + delta };
  }
  if (startLine >= last) {
    return { first, last };
  }
  // What a change that began above leaves of the lines begins behind its new text.
  const newFirst = startLine < first ? startLine + breaks : first;
  const newLast = endLine < last ? last + delta : startLine + breaks + (startLine < first ? 0 : 1);
  return { first: newFirst, last: Math.max(newFirst, newLast) };
}

/** Where the lines stand after changes that speak of one text, the lowest first, as the editor tells them. */
export function carryAll(lines: Lines, changes: readonly Change[]): Lines {
  return changes.reduce(carry, lines);
}
