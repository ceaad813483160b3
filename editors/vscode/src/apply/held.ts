// Which files VS Code holds in another form than a document that the server knows. Pure.

import type { HeldFile } from '../protocol.ts';

/** Longer texts are not given to extensions, in UTF-16 units and so in bytes at the least. */
export const LARGEST_SHARED = 50 * 1024 * 1024;

/** A tab that shows a file. */
export interface Shown {
  uri: string;
  kind: 'text' | 'custom' | 'notebook';
  dirty: boolean;
}

/**
 * The files that must not be written behind the editor, each once, by name.
 *
 * @param notebooks those with unsaved changes, shown or not
 * @param synchronised the URIs of the documents that the server knows
 * @param size of a file in bytes
 */
export function heldFiles(
  tabs: readonly Shown[],
  notebooks: readonly string[],
  synchronised: ReadonlySet<string>,
  size: (uri: string) => number,
): HeldFile[] {
  const held = new Map<string, HeldFile['kind']>();
  for (const { uri, kind, dirty } of tabs) {
    if (kind === 'notebook') {
      held.set(uri, 'notebook');
    } else if (synchronised.has(uri)) {
      // A custom editor of a text shows the very document.
      continue;
    } else if (kind === 'custom') {
      held.set(uri, 'custom');
    } else if (dirty || size(uri) > LARGEST_SHARED) {
      held.set(uri, 'unsynchronised');
    }
  }
  for (const uri of notebooks) {
    held.set(uri, 'notebook');
  }
  return [...held].map(([uri, kind]) => ({ uri, kind })).sort((a, b) => (a.uri < b.uri ? -1 : 1));
}
