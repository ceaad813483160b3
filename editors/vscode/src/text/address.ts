// The addresses of the read-only documents of a diff: each says what it is a side of. Knows nothing of their texts.

import * as vscode from 'vscode';

export const SCHEME = 'mewcode-hunk';

/** What a diff is of: a document, and one of its hunks or all. */
export interface Subject {
  uri: vscode.Uri;
  hunk: string | undefined;
}

export type Which = 'without' | 'with';

/** Which side of which subject: the name keeps the language. */
export function format({ uri, hunk, which }: Subject & { which: Which }): vscode.Uri {
  return vscode.Uri.from({
    scheme: SCHEME,
    path: uri.path,
    query: JSON.stringify({ uri: uri.toString(), hunk, which }),
  });
}

export function parse(uri: vscode.Uri): Subject & { which: Which } {
  const query = JSON.parse(uri.query) as { uri: string; hunk?: string; which: Which };
  return { uri: vscode.Uri.parse(query.uri, true), hunk: query.hunk, which: query.which };
}
