// The rows of a question as a pick shows it: what will really happen, then the answers, the refusal in focus. Pure: knows no
// editor and no server.

import type { Approval } from '../protocol.ts';
import { line, withoutIcons, wrap } from '../ui/literal.ts';
import { PARTS, parts } from './whole.ts';

/** What a row does when it is chosen. Information answers nothing. */
export type Choice =
  | { kind: 'information' }
  | { kind: 'everything' }
  | { kind: 'answer'; answer: string; word: boolean }
  | { kind: 'words'; text: string };

export interface Row {
  /** The heading of the rows from here on. */
  heading?: string;
  label: string;
  detail?: string;
  choice: Choice;
}

export interface Page {
  rows: Row[];
  /** The row that has the focus: the refusal, or the words that were typed for an answer. */
  focus: number;
  /** Whether the rows show all of the question. */
  whole: boolean;
}

/** So many letters of a row are seen, whatever the theme. */
const WIDTH = 64;
/** So many rows besides the answers are seen without scrolling. */
const ROWS = 9;

/** Whether a refusal can be explained: nobody reads a word about trust. */
export function takesWord(approval: Approval, answer: string): boolean {
  return answer === 'deny' && approval.kind !== 'trust' && approval.answers[0]?.answer === answer;
}

/** The rows of a question. `typed` is what stands in the field above them: to a choice it is an answer in the user's own words. */
export function page(approval: Approval, typed = ''): Page {
  const rows: Row[] = [];
  let hidden = 0;
  for (const { part, heading, lines: own } of parts(approval)) {
    const pieces = own.flatMap((one) => wrap(one, WIDTH));
    // Of each part at least one row is seen, however long the part before it is.
    const room = Math.max(ROWS - rows.length, 1);
    pieces.slice(0, room).forEach((piece, index) => {
      rows.push({
        ...(index === 0 ? { heading } : {}),
        label: `$(${index === 0 ? PARTS[part].icon : 'blank'}) ${withoutIcons(piece)}`,
        choice: { kind: 'information' },
      });
    });
    hidden += Math.max(pieces.length - room, 0);
  }
  const focus = rows.length;
  const answers = answerRows(approval, typed);
  const everything: Row = {
    label: '$(open-preview) Show everything',
    detail: hidden > 0 ? `${hidden} more lines do not fit here.` : 'Opens the question as a document.',
    choice: { kind: 'everything' },
  };
  return {
    // Words that are typed are sent by Enter, whichever row has the focus.
    rows: typed.trim() === '' ? [...rows, ...answers.rows, everything] : [...rows, ...answers.rows],
    focus,
    whole: hidden === 0 && answers.whole,
  };
}

function answerRows(approval: Approval, typed: string): { rows: Row[]; whole: boolean } {
  const words = typed.trim();
  if (approval.kind === 'choice' && words !== '') {
    const label = `$(edit) Answer: ${withoutIcons(line(words))}`;
    return { rows: [{ heading: 'Your answer', label, choice: { kind: 'words', text: words } }], whole: true };
  }
  let whole = true;
  const rows = approval.answers.map(({ answer, title }, index): Row => {
    const [label = '', ...more] = wrap(line(title), WIDTH);
    const rest = more.join('');
    whole &&= more.length <= 1;
    return {
      ...(index === 0 ? { heading: 'Your answer' } : {}),
      label: `$(${index === 0 ? 'circle-slash' : 'check'}) ${withoutIcons(label)}`,
      ...(rest === '' ? {} : { detail: withoutIcons(rest) }),
      choice: { kind: 'answer', answer, word: index === 0 && takesWord(approval, answer) },
    };
  });
  if (approval.kind === 'choice') {
    rows.push({ label: '$(edit) Answer in your own words…', choice: { kind: 'words', text: '' } });
  }
  return { rows, whole };
}

/** A question as one of several. */
export function summary(approval: Approval): string {
  return line(approval.title);
}
