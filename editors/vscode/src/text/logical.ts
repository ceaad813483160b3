// The logical text of a document and its hash, by the same definition as the server: no byte order mark, LF at the end of each
// line and of the last. Knows nothing of VS Code, of edits or of the server.

import { createHash } from 'node:crypto';

/** What has a text, and another version whenever it has another text. */
export interface Source {
  readonly version: number;
  getText(): string;
}

/** A document has no text that could be told to the server. The message is a sentence. */
export class NoText extends Error {}

const BYTE_ORDER_MARK = '\ufeff';

/** The logical text. A CR that stands alone is a character like any other; VS Code knows none in a document. */
export function logical(text: string): string {
  const unmarked = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const unified = unmarked.replaceAll('\r\n', '\n');
  return unified.endsWith('\n') ? unified : `${unified}\n`;
}

/** The hash of a logical text: sha256, in hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Whether every character is whole: half of a pair of UTF-16 units cannot be sent. */
export function isWhole(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

const known = new WeakMap<Source, { version: number; sha256: string | undefined }>();

/** The hash of what a document holds. Made anew only when the document has another version. */
export function hash(document: Source): string {
  let entry = known.get(document);
  if (entry?.version !== document.version) {
    const text = document.getText();
    entry = { version: document.version, sha256: isWhole(text) ? sha256(logical(text)) : undefined };
    known.set(document, entry);
  }
  if (entry.sha256 === undefined) {
    throw new NoText('it holds a half of a character, which cannot be sent to the server');
  }
  return entry.sha256;
}
