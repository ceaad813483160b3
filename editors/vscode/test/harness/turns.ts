// Turns of the scripted model, with what it expects of the results of its calls: a failed expectation ends the run as failed.

import type { Turn } from './workspace.ts';

/** One call and what its result must be. */
export function call(tool: string, args: object, expect: object = { status: 'ok' }): Turn {
  return { calls: [{ tool, args }], expect: [expect] };
}

/** Reads a file, for an edit needs an earlier look. */
export function read(path: string): Turn {
  return call('read_file', { path });
}

export function edit(path: string, old: string, replacement: string, expect?: object): Turn {
  return call('edit_file', { path, old_string: old, new_string: replacement }, expect);
}

/** Words without calls: the end of a run. */
export function say(text: string): Turn {
  return { text };
}
