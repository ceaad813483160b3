// The rows of the questions that wait: what will really happen, why it is asked, and the answers, the refusal first. Pure.

import { takesWord } from '../approvals/page.ts';
import { PARTS, parts, wholeText } from '../approvals/whole.ts';
import type { Approval } from '../protocol.ts';
import { cut, line } from '../ui/literal.ts';
import type { Node } from './node.ts';

const LONGEST = 200;

export function questionNodes(waiting: readonly Approval[]): Node[] {
  return waiting.map((approval) => ({
    key: approval.id,
    id: approval.id,
    label: cut(line(approval.title), LONGEST),
    ...(approval.tool === undefined ? {} : { description: line(approval.tool) }),
    tooltip: wholeText(approval),
    icon: 'question',
    color: 'notificationsWarningIcon.foreground',
    context: `question-${approval.kind}`,
    children: [...partNodes(approval), ...answerNodes(approval)],
  }));
}

function partNodes(approval: Approval): Node[] {
  return parts(approval)
    .filter(({ part }) => part !== 'title')
    .map(({ part, heading, lines }) => ({
      key: `${approval.id} ${part}`,
      label: heading,
      icon: PARTS[part].icon,
      // The model's own words are not what decides.
      folded: part === 'reason',
      children: lines.map((text, index) => ({
        key: `${approval.id} ${part} ${index}`,
        label: text === '' ? ' ' : cut(text, LONGEST),
        tooltip: text,
      })),
    }));
}

function answerNodes(approval: Approval): Node[] {
  const answers = approval.answers.map(({ answer, title }, index): Node => {
    const word = takesWord(approval, answer) && index === 0;
    return {
      key: `${approval.id} answer ${index}`,
      label: line(title),
      tooltip: line(title),
      icon: index === 0 ? 'circle-slash' : 'check',
      command: { command: 'mew.answer', argument: { id: approval.id, answer, word } },
    };
  });
  return [
    ...answers,
    {
      key: `${approval.id} more`,
      label: approval.kind === 'choice' ? 'Answer in your own words…' : 'Show the question…',
      icon: approval.kind === 'choice' ? 'edit' : 'open-preview',
      command: { command: 'mew.approve', argument: { id: approval.id } },
    },
  ];
}
