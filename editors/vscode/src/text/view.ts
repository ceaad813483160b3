// What keeps a text under the eyes and the hands of its reader in place while it is edited. Pure.

import type { Position, TextEdit } from 'vscode-languageclient';
import type { Lines } from './edits.ts';

/** By how many lines the text at the top of a window moves down. */
export function shift(edits: readonly TextEdit[], top: number): number {
  return edits
    .filter(({ range }) => range.end.line < top || (range.end.line === top && range.end.character === 0))
    .reduce((sum, { range, newText }) => sum + breaks(newText) - (range.end.line - range.start.line), 0);
}

/**
 * The same edits, so that no cursor follows lines that are added behind the one that it stands at the end of: VS Code moves a
 * cursor behind what is inserted at its place, but leaves one alone at the start of what is replaced.
 */
export function spare(edits: readonly TextEdit[], cursors: readonly Position[], lines: Lines): TextEdit[] {
  return edits.map((edit) => {
    const { start, end } = edit.range;
    const adds = /^\r?\n/.test(edit.newText) && start.line === end.line && start.character === end.character;
    const isMet = cursors.some(({ line, character }) => line === start.line && character === start.character);
    const endsLine = start.character === lines.length(start.line) && start.line + 1 < lines.count;
    return adds && isMet && endsLine
      ? { range: { start, end: { line: start.line + 1, character: 0 } }, newText: `${edit.newText}\n` }
      : edit;
  });
}

function breaks(text: string): number {
  return text.split('\n').length - 1;
}
