// Waiting for what a test looks for.

import * as assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** Longer than anything takes on a busy machine, and shorter than a test may take: what was waited for is said. */
const PATIENCE_MILLISECONDS = 50_000;
const PAUSE_MILLISECONDS = 20;

/** Waits until `look` gives something that counts as true: longer than usual for what consists of many things. */
export async function until<T>(
  what: string,
  look: () => T | PromiseLike<T>,
  patience = PATIENCE_MILLISECONDS,
): Promise<Exclude<T, undefined | null | false | 0 | ''>> {
  const begun = Date.now();
  for (;;) {
    const found = await look();
    if (found) {
      return found as Exclude<T, undefined | null | false | 0 | ''>;
    }
    assert.ok(Date.now() - begun < patience, `waited in vain for ${what}`);
    await pause(PAUSE_MILLISECONDS);
  }
}
