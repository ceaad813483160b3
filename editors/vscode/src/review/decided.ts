// What came of a decision, in words. Pure.

import type { DecisionResult } from '../protocol.ts';
import { count } from '../ui/literal.ts';

export type Verb = 'accept' | 'reject';

/** `where`: the file, or how many. Conflicts that were left are told without it, for they may be all that is in some of them. */
export function decidedWords(verb: Verb, { hunks, conflicts = 0 }: DecisionResult, where: string): string {
  const decided = `${verb}ed ${count(hunks, 'hunk')}`;
  if (conflicts === 0) {
    return `${decided} in ${where}`;
  }
  const left = `${count(conflicts, 'conflict')} ${conflicts === 1 ? 'waits' : 'wait'} for your choice`;
  return hunks === 0 ? left : `${decided}; ${left}`;
}
