// The parts of a question, and the whole of it as a text. Pure: knows no editor and no server.

import type { Approval } from '../protocol.ts';
import { line, lines } from '../ui/literal.ts';

export type PartName = 'title' | 'details' | 'because' | 'reason';

/** In the order in which they are shown, with their icons. */
export const PARTS: Record<PartName, { icon: string }> = {
  title: { icon: 'question' },
  details: { icon: 'list-unordered' },
  because: { icon: 'info' },
  reason: { icon: 'comment' },
};

const DETAILS = {
  permission: 'What will happen',
  choice: 'More of it',
  trust: 'What the project would be granted',
};

export interface Part {
  part: PartName;
  heading: string;
  lines: string[];
}

/** Those that the question has. */
export function parts(approval: Approval): Part[] {
  const all: Part[] = [
    { part: 'title', heading: 'MewCode asks', lines: lines(approval.title) },
    { part: 'details', heading: DETAILS[approval.kind], lines: approval.details.flatMap(lines) },
    { part: 'because', heading: 'Why you are asked', lines: approval.because.flatMap(lines) },
    {
      part: 'reason',
      heading: 'The model says, in its own words',
      lines: approval.reason.trim() === '' ? [] : lines(approval.reason),
    },
  ];
  return all.filter((one) => one.lines.length > 0);
}

/** In plain lines: Markdown could be misled by what it quotes. */
export function wholeText(approval: Approval): string {
  const out = [...lines(approval.title)];
  for (const { heading, lines: own } of parts(approval).slice(1)) {
    out.push('', `${heading}:`, ...own.map((one) => `  ${one}`));
  }
  out.push('', 'Answers:', ...approval.answers.map((one) => `  ${line(one.title)}`));
  if (approval.kind === 'choice') {
    out.push('  or one in your own words');
  }
  return `${out.join('\n')}\n`;
}
