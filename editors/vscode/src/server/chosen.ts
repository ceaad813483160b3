// What the user chose, carried to a server: the settings as its configuration takes them, and the mode after it was started
// again. Pure.

import type { Mode } from '../protocol.ts';

/** Values by dotted keys (`limits.processes`) as an object of objects. Those that are not set are left out, and
 * so are empty texts: VS Code has no field for a text that may be absent. */
export function nested(values: Iterable<readonly [key: string, value: unknown]>): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const [key, value] of values) {
    if (value === undefined || value === null || value === '') {
      continue;
    }
    const names = key.split('.');
    const last = names.pop() ?? key;
    let place = whole;
    for (const name of names) {
      place = place[name] = (place[name] ?? {}) as Record<string, unknown>;
    }
    place[last] = value;
  }
  return whole;
}

/** Loosest first. */
const LOOSEST_FIRST: readonly Mode[] = ['bypass', 'accept_edits', 'default', 'dont_ask', 'plan'];

export interface Again {
  /** To be set. */
  set?: Mode;
  /** For the user. */
  tell?: string;
}

/**
 * The mode of a server that was started again: the one that the user had chosen, unless it is looser than the configured one. A
 * choice that loosens is made by a person who knows what runs, never by a restart.
 */
export function modeAgain(chosen: Mode | undefined, configured: Mode): Again {
  if (chosen === undefined || chosen === configured) {
    return {};
  }
  if (LOOSEST_FIRST.indexOf(chosen) > LOOSEST_FIRST.indexOf(configured)) {
    return { set: chosen };
  }
  return {
    tell: `The server was started again in the mode “${configured}”. You had chosen “${chosen}”, which is looser and is not set by itself.`,
  };
}
