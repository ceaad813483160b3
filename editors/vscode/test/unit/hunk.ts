// Hunks for the unit tests of the review.

import type { Hunk } from '../../src/protocol.ts';
import type { Placed } from '../../src/review/order.ts';

export function hunk(over: Partial<Hunk> = {}): Hunk {
  const oldLines = over.oldLines ?? ['old'];
  const newLines = over.newLines ?? ['new'];
  return {
    id: 'h',
    proposal: 'p',
    session: 's',
    call: 'c',
    tool: 'edit_file',
    reason: '',
    review: over.state === 'applied' ? 'after' : 'before',
    state: 'proposed',
    startLine: 0,
    endLine: 0,
    oldLines,
    newLines,
    added: newLines.length,
    removed: oldLines.length,
    ...over,
  };
}

/** A hunk that stands at these lines. */
export function at(first: number, last: number, over: Partial<Hunk> = {}): Placed {
  return { hunk: hunk(over), first, last };
}
