// How the text of a transcript grows: the rules of the sequence, what is placed here and what by the server.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Envelope, SessionEvent } from '../../src/protocol.ts';
import { Turn } from '../../src/transcript/entries.ts';
import { Growth } from '../../src/transcript/growth.ts';

const HEAD = '# Session s\n';

function envelope(sequence: number, event: SessionEvent): Envelope {
  return { session: 's', run: 'r', sequence, time: 0, event };
}

/** What became of the events, that are numbered from 1, and the text afterwards. */
function grown(events: SessionEvent[], fetched = HEAD, sequence = 0): { text: string; effects: string[] } {
  const growth = new Growth();
  growth.take({ session: 's', markdown: fetched, sequence }, undefined);
  const effects = events.map((event, index) => growth.add(envelope(sequence + index + 1, event)));
  return { text: growth.text, effects };
}

const prompt: SessionEvent = { kind: 'run_started', prompt: 'be\npolite' };
const text = (delta: string): SessionEvent => ({ kind: 'text', delta });
const started = (call: string): SessionEvent => ({
  kind: 'call_started',
  call,
  tool: 'read_file',
  arguments: {},
  title: `read_file ${call}`,
});
const ended = (call: string, diff = ''): SessionEvent => ({
  kind: 'call_ended',
  call,
  tool: 'read_file',
  status: 'ok',
  summary: '1 line',
  files: [{ path: call, sha256_before: 'x', sha256_after: 'y', diff }],
});
const retry: SessionEvent = { kind: 'retrying', attempt: 1, attempts: 3, delay_ms: 1, reason: 'busy' };

const PROMPT = '\n## Prompt\n\n> be\n> polite\n';

void test('each kind of event has its form', () => {
  const cases: [string, SessionEvent[], string][] = [
    ['words', [prompt, text(' Hel'), text('lo.\n')], `${PROMPT}\nHello.\n`],
    [
      'thoughts',
      [prompt, { kind: 'thinking', delta: 'hm' }, text('Yes.')],
      `${PROMPT}\nThinking:\n\n> hm\n\nYes.\n`,
    ],
    ['a call under way', [prompt, started('a')], `${PROMPT}\n- … \`read_file a\`\n`],
    [
      'calls that end in another order',
      [prompt, started('a'), started('b'), text('Meanwhile.'), ended('b'), ended('a')],
      `${PROMPT}\n- ✓ \`read_file a\`: 1 line\n- ✓ \`read_file b\`: 1 line\n\nMeanwhile.\n`,
    ],
    [
      'a diff, which ends the list',
      [prompt, started('a'), started('b'), ended('a', '@@ -1 +1 @@\n-x\n+y\n')],
      `${PROMPT}\n- ✓ \`read_file a\`: 1 line\n\n\`\`\`diff\n--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n\`\`\`\n\n- … \`read_file b\`\n`,
    ],
    [
      'what a command printed, which ends the list and nothing else',
      [prompt, started('a'), started('b'), { ...ended('a'), output: 'x\n```\n# y\n' } as SessionEvent],
      `${PROMPT}\n- ✓ \`read_file a\`: 1 line\n\n\`\`\`\`output\nx\n\`\`\`\n# y\n\`\`\`\`\n\n- … \`read_file b\`\n`,
    ],
    [
      'the purpose of a call',
      [prompt, { ...started('a'), purpose: 'see [x](command:y)' } as SessionEvent, ended('a')],
      `${PROMPT}\n- ✓ \`read_file a\` (see [x]\\(command:y)): 1 line\n`,
    ],
    [
      'a retry, by which the turn is void',
      [prompt, text('Hal'), retry, text('Hello.')],
      `${PROMPT}\n*Retry 1 of 3: busy*\n\nHello.\n`,
    ],
    [
      'a retry behind a call, which stays',
      [prompt, started('a'), text('x'), retry],
      `${PROMPT}\n- … \`read_file a\`\n\n*Retry 1 of 3: busy*\n`,
    ],
    ['what is not shown', [prompt, { kind: 'usage' }, { kind: 'output', call: 'a', tail: 'x' }], PROMPT],
    ['hostile words', [prompt, text('[x](comm'), text('and:y)')], `${PROMPT}\n[x]\\(command:y)\n`],
  ];
  for (const [name, events, expected] of cases) {
    const { text: whole, effects } = grown(events);
    assert.equal(whole, HEAD + expected, name);
    assert.ok(!effects.includes('fetch'), name);
  }
});

void test('what the server places is fetched, and what follows waits for it', () => {
  const question: SessionEvent = { kind: 'approval_asked', call: 'a', title: 'Run?' };
  for (const event of [
    question,
    { kind: 'plan', call: 'a', steps: [] },
    { kind: 'run_ended', outcome: 'done' },
  ] as SessionEvent[]) {
    const { text: whole, effects } = grown([prompt, event, text('x')]);
    assert.deepEqual(effects, ['grown', 'fetch', 'fetch']);
    assert.equal(whole, HEAD + PROMPT);
  }
});

void test('what is in the text already is not added, and a gap is fetched', () => {
  const growth = new Growth();
  growth.take({ session: 's', markdown: `${HEAD}${PROMPT}`, sequence: 4 }, undefined);
  assert.equal(growth.add(envelope(4, started('a'))), 'nothing');
  assert.equal(growth.add(envelope(5, started('a'))), 'grown');
  assert.equal(growth.add(envelope(7, started('b'))), 'fetch');
  assert.equal(growth.text, `${HEAD}${PROMPT}\n- … \`read_file a\`\n`);
});

void test('whether fetched words go on is known only from the events before', () => {
  const fetched = `${HEAD}${PROMPT}\nHel\n`;
  assert.deepEqual(grown([text('lo')], fetched, 2).effects, ['fetch']);
  assert.deepEqual(grown([retry], fetched, 2).effects, ['fetch']);
  assert.deepEqual(grown([ended('a')], fetched, 2).effects, ['fetch']);

  const turn = new Turn();
  turn.add(envelope(1, prompt));
  turn.add(envelope(2, text('Hel')));
  turn.add(envelope(3, text('lo')));
  const growth = new Growth();
  growth.take({ session: 's', markdown: fetched, sequence: 2 }, turn.upTo(2));
  assert.equal(growth.text, fetched);
  assert.equal(growth.add(envelope(3, text('lo'))), 'grown');
  assert.equal(growth.text, `${HEAD}${PROMPT}\nHello\n`);
  assert.equal(growth.add(envelope(4, retry)), 'grown');
  assert.equal(growth.text, `${HEAD}${PROMPT}\n*Retry 1 of 3: busy*\n`);
});

void test('a text that does not end as the events say is taken as it is', () => {
  const turn = new Turn();
  turn.add(envelope(1, prompt));
  turn.add(envelope(2, text('Hel')));
  const growth = new Growth();
  growth.take({ session: 's', markdown: `${HEAD}other\n`, sequence: 2 }, turn.upTo(2));
  assert.equal(growth.text, `${HEAD}other\n`);
  assert.equal(growth.add(envelope(3, text('lo'))), 'fetch');
});

void test('a turn that began before the events is not known', () => {
  const turn = new Turn();
  turn.add(envelope(5, text('x')));
  assert.equal(turn.upTo(5), undefined);
  turn.add(envelope(6, started('a')));
  assert.equal(turn.upTo(5), undefined);
  assert.deepEqual(turn.upTo(6), []);
});

void test('a call goes on with the list that was fetched', () => {
  const list = `${HEAD}${PROMPT}\n- ✓ \`read_file a\`: 1 line\n  - Run?: allowed once\n`;
  assert.equal(grown([started('b')], list, 4).text, `${list}- … \`read_file b\`\n`);
});

void test('what has not changed is told', () => {
  const growth = new Growth();
  growth.take({ session: 's', markdown: HEAD, sequence: 0 }, undefined);
  assert.equal(growth.unchanged(), 0);
  const events = [
    prompt,
    started('a'),
    started('b'),
    text('Words.'),
    ended('a'),
    text(' More.'),
    ended('b', '+y\n'),
    started('c'),
    retry,
  ];
  let before = growth.text;
  for (const [index, event] of events.entries()) {
    growth.add(envelope(index + 1, event));
    const unchanged = growth.unchanged();
    assert.equal(before.slice(0, unchanged), growth.text.slice(0, unchanged));
    assert.ok(unchanged > 0);
    before = growth.text;
  }
  growth.take({ session: 's', markdown: `${before}More\n`, sequence: 20 }, undefined);
  assert.equal(growth.unchanged(), before.length);
});
