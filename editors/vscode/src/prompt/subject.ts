// What a prompt is about: the selection, or else the document, or the file that a menu was opened on.

import * as vscode from 'vscode';
import { SELECTOR } from '../server/client.ts';
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
  if (!uri || !SELECTOR.some((one) => one.scheme === uri.scheme)) {
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
  const name = uri.scheme === 'untitled' ? uri.path : pathOf(uri);
  if (!range) {
    return name;
  }
  const first = range.start.line + 1;
  // A selection that ends at the beginning of a line has nothing of that line.
  const last =
    range.end.character === 0 && range.end.line > range.start.line ? range.end.line : range.end.line + 1;
  return first === last ? `${name}:${first}` : `${name}:${first}-${last}`;
}
