// How a question is shown: all of what will happen, the refusal in focus, and nothing of it misleading.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { page, takesWord } from '../../src/approvals/page.ts';
import { wholeText } from '../../src/approvals/whole.ts';
import type { Approval } from '../../src/protocol.ts';
import { questionNodes } from '../../src/views/question-tree.ts';

const COMMAND: Approval = {
  id: 'one',
  kind: 'permission',
  session: 's',
  tool: 'bash',
  title: 'Run `touch made.txt`',
  details: ['touch made.txt\nin .', 'sandbox: workspace_write'],
  because: ['No rule covers `touch made.txt`.'],
  reason: 'I need\u202e it.',
  answers: [
    { answer: 'deny', title: 'Deny' },
    { answer: 'once', title: 'Allow once' },
    { answer: 'session', title: 'Allow `bash(touch:*)` for this session' },
  ],
  asked: 7,
};

const CHOICE: Approval = {
  id: 'two',
  kind: 'choice',
  title: 'Which?',
  details: [],
  because: [],
  reason: '',
  answers: [
    { answer: 'deny', title: 'Do not answer' },
    { answer: 'tabs', title: 'tabs' },
  ],
  asked: 8,
};

function labels(approval: Approval, typed?: string): string[] {
  return page(approval, typed).rows.map((row) => row.label);
}

void test('the rows of a question', () => {
  assert.deepEqual(labels(COMMAND), [
    '$(question) Run `touch made.txt`',
    '$(list-unordered) touch made.txt',
    '$(blank) in .',
    '$(blank) sandbox: workspace_write',
    '$(info) No rule covers `touch made.txt`.',
    '$(comment) I need⟨U+202E⟩ it.',
    '$(circle-slash) Deny',
    '$(check) Allow once',
    '$(check) Allow `bash(touch:*)` for this session',
    '$(open-preview) Show everything',
  ]);
  const { rows, focus, whole } = page(COMMAND);
  assert.deepEqual(rows[focus]?.choice, { kind: 'answer', answer: 'deny', word: true });
  assert.ok(whole);
  assert.deepEqual(
    rows.map((row) => row.heading).filter((heading) => heading !== undefined),
    [
      'MewCode asks',
      'What will happen',
      'Why you are asked',
      'The model says, in its own words',
      'Your answer',
    ],
  );
});

void test('exactly the answers, in their order', () => {
  const answers = page(COMMAND).rows.flatMap(({ choice }) =>
    choice.kind === 'answer' ? [choice.answer] : [],
  );
  assert.deepEqual(answers, ['deny', 'once', 'session']);
});

void test('what is typed to a choice is an answer', () => {
  assert.deepEqual(labels(CHOICE), [
    '$(question) Which?',
    '$(circle-slash) Do not answer',
    '$(check) tabs',
    '$(edit) Answer in your own words…',
    '$(open-preview) Show everything',
  ]);
  const typed = page(CHOICE, ' two blanks ');
  assert.deepEqual(typed.rows[typed.focus]?.choice, { kind: 'words', text: 'two blanks' });
  assert.ok(typed.rows.every(({ choice }) => choice.kind === 'information' || choice.kind === 'words'));
});

void test('what does not fit says how much is missing, and the whole has it', () => {
  const details = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const long = { ...COMMAND, details };
  const { rows, focus, whole } = page(long);
  assert.ok(!whole);
  assert.ok(focus <= 12, 'the answers are in sight');
  assert.ok(
    rows.some((row) => row.label.includes('I need')),
    'a long part pushes no other one away',
  );
  assert.match(rows.at(-1)?.detail ?? '', /^32 more lines/);
  assert.ok(details.every((one) => wholeText(long).includes(one)));
});

void test('a rule that an answer would add is seen wholly', () => {
  const rule = 'x'.repeat(90);
  const answers = [...COMMAND.answers.slice(0, 2), { answer: 'always', title: `Always allow \`${rule}\`` }];
  const { rows, whole } = page({ ...COMMAND, answers });
  const always = rows.find(({ choice }) => choice.kind === 'answer' && choice.answer === 'always');
  const seen = `${always?.label ?? ''}${always?.detail ?? ''}`;
  assert.equal(seen, `$(check) Always allow \`${rule}\``);
  assert.ok(whole);
  const longer = { answer: 'always', title: 'y'.repeat(500) };
  assert.ok(!page({ ...COMMAND, answers: [...answers, longer] }).whole);
});

void test('a name of an icon in a command stays text', () => {
  assert.ok(labels({ ...COMMAND, title: 'Run `echo $(trash)`' })[0]?.endsWith('Run `echo \\$(trash)`'));
});

void test('the whole of a question', () => {
  assert.equal(
    wholeText(COMMAND),
    `Run \`touch made.txt\`

What will happen:
  touch made.txt
  in .
  sandbox: workspace_write

Why you are asked:
  No rule covers \`touch made.txt\`.

The model says, in its own words:
  I need⟨U+202E⟩ it.

Answers:
  Deny
  Allow once
  Allow \`bash(touch:*)\` for this session
`,
  );
});

void test('a word goes with a refusal that a model reads', () => {
  assert.ok(takesWord(COMMAND, 'deny'));
  assert.ok(!takesWord(COMMAND, 'once'));
  assert.ok(!takesWord({ ...COMMAND, kind: 'trust' }, 'deny'));
});

void test('the tree of a question', () => {
  const [node, ...others] = questionNodes([COMMAND]);
  assert.deepEqual(others, []);
  assert.equal(node?.context, 'question-permission');
  assert.equal(node.id, 'one');
  const rows = (node.children ?? []).map((row) => [
    row.label,
    ...(row.children ?? []).map((child) => child.label),
  ]);
  assert.deepEqual(rows, [
    ['What will happen', 'touch made.txt', 'in .', 'sandbox: workspace_write'],
    ['Why you are asked', 'No rule covers `touch made.txt`.'],
    ['The model says, in its own words', 'I need⟨U+202E⟩ it.'],
    ['Deny'],
    ['Allow once'],
    ['Allow `bash(touch:*)` for this session'],
    ['Show the question…'],
  ]);
  const deny = node.children?.find((row) => row.label === 'Deny');
  assert.deepEqual(deny?.command, {
    command: 'mew.answer',
    argument: { id: 'one', answer: 'deny', word: true },
  });
  const keys = (node.children ?? []).flatMap((row) => [row, ...(row.children ?? [])]).map((row) => row.key);
  assert.equal(new Set(keys).size, keys.length);
});
