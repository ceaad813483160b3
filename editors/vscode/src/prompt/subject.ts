// What a prompt is about: the selection, or else the document, or the file that a menu was opened on. Only of a file anything goes
// along with the words.

import * as vscode from 'vscode';
import { parse, SCHEME } from '../text/address.ts';
import { documentAt, isOnDisk } from '../text/documents.ts';
import { pathOf } from './files.ts';

export interface Subject {
  uri?: vscode.Uri;
  /** What is selected. */
  range?: vscode.Range;
  /** Where the cursor is, if nothing is selected. */
  cursor?: vscode.Range;
}

/** `given`: what the command was called with. */
export function subjectOf(given: unknown): Subject {
  const editor = vscode.window.activeTextEditor;
  const uri = given instanceof vscode.Uri ? given : editor?.document.uri;
  if (uri?.scheme === SCHEME) {
    // The lines of a side are not those of the file, which may be gone or not there yet.
    const { uri: of } = parse(uri);
    return documentAt(of) || isOnDisk(of) ? { uri: of } : {};
  }
  if (uri?.scheme !== 'file') {
    return {};
  }
  if (editor?.document.uri.toString() !== uri.toString()) {
    return { uri };
  }
  const { selection } = editor;
  return selection.isEmpty
    ? { uri, cursor: new vscode.Range(selection.active, selection.active) }
    : { uri, range: new vscode.Range(selection.start, selection.end) };
}

/** In a few words: "greet.py:3-9". Empty if it is about nothing. */
export function nameOf({ uri, range }: Subject): string {
  if (!uri) {
    return '';
  }
  const name = pathOf(uri);
  if (!range) {
    return name;
  }
  const first = range.start.line + 1;
  // A selection that ends at the beginning of a line has nothing of that line.
  const last =
    range.end.character === 0 && range.end.line > range.start.line ? range.end.line : range.end.line + 1;
  return first === last ? `${name}:${first}` : `${name}:${first}-${last}`;
}
