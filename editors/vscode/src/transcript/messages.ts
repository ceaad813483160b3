// What the extension and the page of a transcript tell each other. Types only. Nothing that comes from the page is trusted.

import type { Output } from './output.ts';

export type ToPage =
  /** The pieces from `from` on are these now. */
  | { kind: 'pieces'; from: number; pieces: string[] }
  | { kind: 'state'; outputs: Output[]; note: string }
  /** Which of the paths that were asked for name a file. */
  | { kind: 'files'; asked: string[]; found: string[] };

export type FromPage =
  /** The page has loaded, and shows nothing yet. */
  | { kind: 'ready' }
  | { kind: 'open'; target: string }
  | { kind: 'openText' }
  | { kind: 'askFiles'; paths: string[] };

/** What the page keeps of itself over a reload of the window. */
export interface PageState {
  session: string;
  /** The text, or its end. */
  text: string;
  /** Where the reader was; undefined: at the end. */
  scroll?: number;
}

/** Reads a message of the page. */
export function readMessage(message: unknown): FromPage | undefined {
  if (typeof message !== 'object' || message === null || !('kind' in message)) {
    return undefined;
  }
  const { kind, target, paths } = message as Record<string, unknown>;
  switch (kind) {
    case 'ready':
    case 'openText':
      return { kind };
    case 'open':
      return typeof target === 'string' ? { kind, target } : undefined;
    case 'askFiles':
      return Array.isArray(paths)
        ? { kind, paths: paths.filter((path) => typeof path === 'string') }
        : undefined;
    default:
      return undefined;
  }
}
