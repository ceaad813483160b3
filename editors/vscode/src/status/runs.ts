// Which run is meant by a command that names none. Pure.

import type { SessionEntry } from '../protocol.ts';

/** The current session's run if there is one, or else any of the others. */
export function runsMeant(sessions: readonly SessionEntry[]): SessionEntry[] {
  const running = sessions.filter((one) => one.running);
  const current = running.find((one) => one.current);
  return current ? [current] : running;
}
