// The rows of the undecided hunks, by file. Pure.

import type { Hunk } from '../protocol.ts';
import { sizeOf } from '../review/look.ts';
import { seenAt } from '../review/order.ts';
import { count, cut, line } from '../ui/literal.ts';
import type { Node } from './node.ts';

const LONGEST = 120;

export interface FileHunks {
  uri: string;
  /** As the user knows it: relative to the folder. */
  path: string;
  hunks: readonly Hunk[];
}

export function hunkNodes(files: readonly FileHunks[]): Node[] {
  return files.map(({ uri, path, hunks }) => ({
    key: uri,
    label: line(path),
    description: count(hunks.length, 'hunk'),
    tooltip: line(path),
    resource: uri,
    uri,
    context: 'file',
    children: hunks.map((hunk) => hunkNode(hunk)),
  }));
}

/** What the lines of the hunk come to, for a reader who looks for it. */
function gist(hunk: Hunk): string {
  const seen =
    hunk.newLines.find((one) => one.trim() !== '') ?? hunk.oldLines.find((one) => one.trim() !== '');
  return cut(line((seen ?? '').trim()), LONGEST);
}

/** Where it is seen, as the list of hunks counts too. */
function lineOf({ startLine, endLine }: Hunk): number {
  return seenAt({ first: startLine, last: endLine }) + 1;
}

function hunkNode(hunk: Hunk): Node {
  const conflict = hunk.state === 'conflicted';
  const reason = line(hunk.reason);
  return {
    key: hunk.id,
    hunk: hunk.id,
    label: hunk.title === undefined ? `${lineOf(hunk)}: ${gist(hunk)}` : line(hunk.title),
    description: [hunk.title === undefined ? sizeOf(hunk) : '', conflict ? 'conflict' : '', reason]
      .filter((part) => part !== '')
      .join(' · '),
    tooltip: tooltip(hunk),
    icon: conflict ? 'warning' : hunk.review === 'before' ? 'diff-added' : 'diff-modified',
    context: conflict ? 'hunk-conflicted' : 'hunk',
    command: { command: 'mew.openHunk', argument: { hunk: hunk.id } },
  };
}

const STATES = {
  proposed: 'Proposed: not in the file yet.',
  applied: 'In the file already: accept keeps it, reject takes it out.',
  conflicted: 'Conflict: you and the agent changed these lines.',
};

/** So many lines of a hunk are shown by its tooltip. */
const MOST_LINES = 12;

function tooltip(hunk: Hunk): string {
  const changed = [
    ...hunk.oldLines.map((one) => `− ${line(one)}`),
    ...hunk.newLines.map((one) => `+ ${line(one)}`),
  ];
  const more = changed.length - MOST_LINES;
  return [
    `${line(hunk.tool)}: ${line(hunk.reason)}`,
    STATES[hunk.state],
    ...(hunk.file === undefined ? ['', ...changed.slice(0, MOST_LINES)] : []),
    ...(hunk.file === undefined && more > 0 ? [`… (${more} more lines)`] : []),
  ].join('\n');
}
