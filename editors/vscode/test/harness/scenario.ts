// The scenarios of tests/e2e/editors as VS Code's tests read them: their types, and what refuses a file that says what its README does
// not tell of. Knows nothing of VS Code.

import type { Turn } from './workspace.ts';

/** A long text: so many lines, each with its number in place of {n}, but for these. */
export interface Lines {
  lines: number;
  line: string;
  except?: Record<string, string>;
}

/** null: no such file. */
export type Text = string | Lines | null;

export interface Typing {
  text: string;
  before?: string;
  after?: string;
  over?: string;
}

export interface Decision {
  hunk?: string;
  file?: string;
  all?: boolean;
  take?: 'mine' | 'agent' | 'both';
  word?: string;
}

export interface Answer {
  question: string;
  with: string;
  word?: string;
}

export interface State {
  hunks?: Record<string, number>;
  questions?: number;
  calls?: number;
  ended?: string;
  server?: string;
  buffer?: Record<string, Text>;
  disk?: Record<string, Text>;
  dirty?: Record<string, boolean>;
  active?: string;
  inStep?: string[];
}

/** Exactly one of them. */
export interface Step {
  open?: string;
  type?: Typing;
  prompt?: string;
  accept?: Decision;
  reject?: Decision;
  answer?: Answer;
  undo?: string;
  save?: string;
  write?: Record<string, Text>;
  stop?: 'run';
  kill?: 'server';
  restart?: 'server';
  wait?: State;
  expect?: State;
  only?: { editor: string; because: string; steps: Step[] };
}

export interface Scenario {
  promise: string;
  files: Record<string, Text>;
  turns: Turn[];
  mode?: string;
  settings?: { formatOnSave?: boolean; autoSave?: boolean };
  steps: Step[];
}

/** What an object may have, by the names of its kinds; a `?` says that it may be missing. */
const OBJECTS: Record<string, Record<string, string>> = {
  scenario: {
    promise: 'string',
    files: 'files',
    turns: 'list',
    mode: 'string?',
    settings: 'settings?',
    steps: 'steps',
  },
  settings: { formatOnSave: 'boolean?', autoSave: 'boolean?' },
  step: {
    open: 'string?',
    type: 'typing?',
    prompt: 'string?',
    accept: 'decision?',
    reject: 'decision?',
    answer: 'answer?',
    undo: 'string?',
    save: 'string?',
    write: 'files?',
    stop: 'run?',
    kill: 'server?',
    restart: 'server?',
    wait: 'state?',
    expect: 'state?',
    only: 'only?',
  },
  typing: { text: 'string', before: 'string?', after: 'string?', over: 'string?' },
  decision: { hunk: 'string?', file: 'string?', all: 'boolean?', take: 'string?', word: 'string?' },
  answer: { question: 'string', with: 'string', word: 'string?' },
  state: {
    hunks: 'numbers?',
    questions: 'number?',
    calls: 'number?',
    ended: 'string?',
    server: 'string?',
    buffer: 'files?',
    disk: 'files?',
    dirty: 'booleans?',
    active: 'string?',
    inStep: 'list?',
  },
  only: { editor: 'string', because: 'string', steps: 'steps' },
  lines: { lines: 'number', line: 'string', except: 'strings?' },
};

/** Kinds whose keys are free, with the kind of their values. */
const MAPS: Record<string, string> = {
  files: 'text',
  numbers: 'number',
  booleans: 'boolean',
  strings: 'string',
};

/** Words of which a kind is one. */
const WORDS: Record<string, readonly unknown[]> = { run: ['run'], server: ['server'] };

/** Of these an object has exactly one. */
const ONE_OF: Record<string, readonly string[]> = {
  step: Object.keys(OBJECTS['step'] ?? {}),
  typing: ['before', 'after', 'over'],
  decision: ['hunk', 'file', 'all'],
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkObject(value: unknown, kind: string, place: string): void {
  const fields = OBJECTS[kind] ?? {};
  if (!isObject(value)) {
    throw new Error(`${place} is no ${kind}`);
  }
  for (const key of Object.keys(value)) {
    if (!(key in fields)) {
      throw new Error(`${place}: a ${kind} has no "${key}"`);
    }
  }
  for (const [key, wanted] of Object.entries(fields)) {
    if (value[key] !== undefined) {
      check(value[key], wanted.replace('?', ''), `${place}.${key}`);
    } else if (!wanted.endsWith('?')) {
      throw new Error(`${place}: a ${kind} needs "${key}"`);
    }
  }
  const one = ONE_OF[kind];
  if (one && one.filter((key) => value[key] !== undefined).length !== 1) {
    throw new Error(`${place}: a ${kind} needs exactly one of ${one.join(', ')}`);
  }
}

function check(value: unknown, kind: string, place: string): void {
  const values = MAPS[kind];
  if (OBJECTS[kind]) {
    checkObject(value, kind, place);
  } else if (kind === 'text') {
    if (value !== null && typeof value !== 'string') {
      checkObject(value, 'lines', place);
    }
  } else if (kind === 'steps' || kind === 'list') {
    if (!Array.isArray(value)) {
      throw new Error(`${place} is no list`);
    }
    if (kind === 'steps') {
      for (const [index, step] of value.entries()) {
        checkObject(step, 'step', `${place}[${index + 1}]`);
      }
    }
  } else if (values !== undefined) {
    if (!isObject(value)) {
      throw new Error(`${place} is no map`);
    }
    for (const [key, one] of Object.entries(value)) {
      check(one, values, `${place}.${key}`);
    }
  } else if (WORDS[kind]) {
    if (!WORDS[kind].includes(value)) {
      throw new Error(`${place} is not "${kind}"`);
    }
  } else if (typeof value !== kind) {
    throw new Error(`${place} is no ${kind}`);
  }
}

export function readScenario(json: string): Scenario {
  const value: unknown = JSON.parse(json);
  checkObject(value, 'scenario', 'scenario');
  return value as Scenario;
}

/** A text as it stands in a scenario, written out. */
export function writtenOut(text: string | Lines): string {
  if (typeof text === 'string') {
    return text;
  }
  const lines = Array.from({ length: text.lines }, (_, index) => {
    const number = String(index + 1);
    return text.except?.[number] ?? text.line.replaceAll('{n}', number);
  });
  return `${lines.join('\n')}\n`;
}
