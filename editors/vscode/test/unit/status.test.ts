// What the status bar, its menu and the choice of a mode say.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionEntry, Status } from '../../src/protocol.ts';
import { MODES } from '../../src/protocol.ts';
import { menu } from '../../src/status/menu.ts';
import type { Overview } from '../../src/status/overview.ts';
import { bar, heading, MODE_WORDS } from '../../src/status/overview.ts';
import { runsMeant } from '../../src/status/runs.ts';

const STATUS: Status = {
  mode: 'default',
  session: 's',
  running: 0,
  pendingHunks: 0,
  pendingApprovals: 0,
  sandbox: 'workspace_write',
  trusted: true,
  provider: 'anthropic',
  model: 'm-1',
};

function running(status: Partial<Status>, questions = 0): Overview {
  return { phase: 'running', version: '0.1.0', status: { ...STATUS, ...status }, questions };
}

void test('the text of the status bar', () => {
  const cases: [Overview, string, ('warning' | 'error')?][] = [
    [{ phase: 'held', questions: 0 }, '$(circle-slash) MewCode: not started'],
    [{ phase: 'starting', questions: 0 }, '$(loading~spin) MewCode: starting'],
    [{ phase: 'stopped', questions: 0 }, '$(circle-slash) MewCode: stopped'],
    [{ phase: 'failed', questions: 0 }, '$(error) MewCode: failed', 'error'],
    [{ phase: 'running', questions: 0 }, '$(hubot) MewCode: running'],
    [running({}), '$(hubot) MewCode: default'],
    [running({ running: 1, pendingHunks: 2 }), '$(loading~spin) MewCode: default · running · 2 hunks'],
    [
      running({ running: 2, pendingHunks: 1 }, 1),
      '$(bell-dot) MewCode: 1 question · default · 2 running · 1 hunk',
      'warning',
    ],
    [running({}, 3), '$(bell-dot) MewCode: 3 questions · default', 'warning'],
    [
      running({ mode: 'bypass', sandbox: 'none', trusted: false }),
      '$(hubot) MewCode: bypass · no sandbox · not trusted',
    ],
  ];
  for (const [overview, text, background] of cases) {
    const shown = bar(overview);
    assert.equal(shown.text, text);
    assert.equal(shown.background, background);
    assert.ok(!shown.spoken.includes('$('));
  }
});

void test('the tooltip has everything', () => {
  assert.equal(
    bar(running({ running: 1, pendingHunks: 2, trusted: false, sandbox: 'off' }, 1)).tooltip,
    `MewCode’s server 0.1.0: running
Mode: default
Runs: 1
Hunks that wait: 2
Questions that wait: 1
Sandbox: off: commands are not confined
Workspace: not trusted; what its files would grant is held back
Provider: anthropic, m-1

Click for what can be done now.`,
  );
  assert.match(
    bar({ phase: 'failed', reason: 'it ended at once', questions: 0 }).tooltip,
    /failed \(it ended/,
  );
});

void test('the menu says over its rows what the tooltip has for the pointer', () => {
  const said = (overview: Overview): string[] => Object.values(heading(overview));
  assert.deepEqual(said(running({ mode: 'accept_edits' })), [
    'MewCode 0.1.0: Accept edits · anthropic, m-1',
    'Sandbox: commands may write in the workspace only',
  ]);
  assert.deepEqual(said(running({ sandbox: 'none', trusted: false, provider: 'script', model: null })), [
    'MewCode 0.1.0: Default · script',
    'Sandbox: none: this system has no sandbox · Workspace not trusted',
  ]);
  assert.deepEqual(said({ phase: 'failed', reason: 'The server ended\nat once.', questions: 0 }), [
    'MewCode: failed',
    'The server ended⏎at once.',
  ]);
  assert.deepEqual(said({ phase: 'stopped', version: '0.1.0', questions: 0 }), [
    'MewCode 0.1.0: stopped',
    'What can be done now',
  ]);
});

void test('a name cannot be an icon in the status bar', () => {
  assert.ok(!/[^\\]\$\(trash/.test(bar(running({ mode: '$(trash)' as Status['mode'] })).text));
});

void test('the menu has what can be done now, what waits first', () => {
  const commands = (overview: Overview): string[] => menu(overview).map((entry) => entry.command);
  assert.deepEqual(commands({ phase: 'failed', questions: 0 }), [
    'mew.restart',
    'mew.showLog',
    'mew.openWalkthrough',
  ]);
  assert.deepEqual(commands(running({ running: 1, pendingHunks: 1, trusted: false }, 1)).slice(0, 5), [
    'mew.approve',
    'mew.review',
    'mew.stop',
    'mew.moveToBackground',
    'mew.prompt',
  ]);
  const idle = commands(running({}));
  assert.equal(idle[0], 'mew.prompt');
  for (const absent of ['mew.approve', 'mew.review', 'mew.stop', 'mew.moveToBackground', 'mew.trust']) {
    assert.ok(!idle.includes(absent), absent);
  }
  assert.ok(commands(running({ trusted: false })).includes('mew.trust'));
});

void test('the run that is meant: the current session’s, or else any of the others', () => {
  const entry = (session: string, running: boolean, current = false): SessionEntry => ({
    ...{ session, running, current, title: session, mode: 'default', started: 0 },
  });
  const meant = (...sessions: SessionEntry[]): string[] => runsMeant(sessions).map(({ session }) => session);
  assert.deepEqual(meant(entry('b', true, true), entry('a', true)), ['b']);
  assert.deepEqual(meant(entry('b', false, true), entry('a', true)), ['a']);
  assert.deepEqual(meant(entry('c', false, true), entry('b', true), entry('a', true)), ['b', 'a']);
  assert.deepEqual(meant(entry('b', false, true), entry('a', false)), []);
});

void test('every mode says what it means, the loosest last', () => {
  assert.deepEqual(MODE_WORDS.map((one) => one.mode).sort(), [...MODES].sort());
  assert.equal(MODE_WORDS.at(-1)?.mode, 'bypass');
  for (const { mode, detail } of MODE_WORDS) {
    assert.ok(detail.length <= 85, `what ${mode} means is seen wholly in a row of a pick`);
  }
});
