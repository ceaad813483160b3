// The rows of the sessions, the newest first. Pure.

import type { SessionEntry } from '../protocol.ts';
import { cut, line } from '../ui/literal.ts';
import type { Node } from './node.ts';

const LONGEST = 120;

export function sessionNodes(sessions: readonly SessionEntry[]): Node[] {
  return sessions.map((one) => {
    const title = line(one.title);
    const states = [one.running ? 'running' : '', one.current ? 'current' : '', one.mode];
    return {
      key: one.session,
      session: one.session,
      label: title === '' ? 'No prompt yet' : cut(title, LONGEST),
      description: states.filter((state) => state !== '').join(' · '),
      tooltip: [
        title === '' ? 'No prompt yet' : title,
        `Begun ${new Date(one.started).toLocaleString()}`,
        ...(one.current ? ['The next prompt goes to it.'] : []),
      ].join('\n'),
      icon: one.running ? 'loading~spin' : one.current ? 'circle-filled' : 'circle-outline',
      context: one.running ? 'session-running' : 'session',
      command: { command: 'mew.openTranscript', argument: { session: one.session } },
    };
  });
}
