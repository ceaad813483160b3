import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InitializeResult } from 'vscode-languageclient';
import { Backoff } from '../../src/server/backoff.ts';
import { modeAgain, nested } from '../../src/server/chosen.ts';
import { judge } from '../../src/server/handshake.ts';
import { notification, plain, plainProgress } from '../../src/ui/plain.ts';

const MINUTE = 60_000;

void test('a server that ends is started again later each time, and then no more', () => {
  const backoff = new Backoff();
  const delays = [0, 1, 2, 3, 4].map((second) => backoff.next(second * 1000));
  assert.deepEqual(delays, [0, 1000, 4000, 15_000, undefined]);
});

void test('ends of long ago are forgotten, and all of them when the user starts it', () => {
  const backoff = new Backoff();
  for (let end = 0; end < 20; end++) {
    assert.notEqual(backoff.next(end * MINUTE), undefined, `after ${end} minutes`);
  }
  for (let end = 0; end < 4; end++) {
    backoff.next(20 * MINUTE);
  }
  backoff.clear();
  assert.equal(backoff.next(20 * MINUTE), 0);
});

const OWN = { version: '0.2.0', protocol: 1 };

function answer(protocol: unknown, version = '0.2.0', name = 'mewcode'): InitializeResult {
  const experimental = protocol === undefined ? {} : { experimental: { mewcode: { version: protocol } } };
  return { capabilities: experimental, serverInfo: { name, version } };
}

void test('a server of the same release fits', () => {
  assert.deepEqual(judge(answer(1), '/bin/mewcode', OWN), {});
});

void test('another protocol does not, and the older side is to be updated', () => {
  const newer = judge(answer(2), '/bin/mewcode', OWN);
  assert.match(newer.fault ?? '', /version 2 .* version 1\. Update the extension\.$/);
  const older = judge(answer(0), '/bin/mewcode', OWN);
  assert.match(older.fault ?? '', /Update the server/);
});

void test('a server that is not MewCode is named', () => {
  for (const protocol of [undefined, null, '1', {}]) {
    const { fault } = judge(answer(protocol, '1.0', 'clangd'), '/bin/clangd', OWN);
    assert.match(fault ?? '', /\/bin\/clangd is the server “clangd”/);
  }
  assert.match(judge({ capabilities: {} }, '/bin/cat', OWN).fault ?? '', /some other server/);
});

void test('another release with the same protocol works, and the user is told', () => {
  const say = (version: string): string => {
    const { fault, notice } = judge(answer(1, version), '/bin/mewcode', OWN);
    assert.equal(fault, undefined);
    return notice ?? '';
  };
  assert.match(say('0.10.0'), /Update the extension/);
  assert.match(say('0.2.1'), /Update the extension/);
  assert.match(say('0.1.9'), /Update the server/);
});

void test('settings go out as the server nests them, and only those that are set', () => {
  const values: [string, unknown][] = [
    ['mode', 'plan'],
    ['limits.processes', 0],
    ['limits.memory_mib', 512],
    ['permissions.deny', []],
    ['model', ''],
    ['provider', null],
    ['script', undefined],
  ];
  assert.deepEqual(nested(values), {
    mode: 'plan',
    limits: { processes: 0, memory_mib: 512 },
    permissions: { deny: [] },
  });
  assert.deepEqual(nested([]), {});
});

void test('the chosen mode is set again unless it is looser than the configured one', () => {
  assert.deepEqual(modeAgain(undefined, 'default'), {});
  assert.deepEqual(modeAgain('plan', 'plan'), {});
  assert.deepEqual(modeAgain('plan', 'default'), { set: 'plan' });
  assert.deepEqual(modeAgain('dont_ask', 'default'), { set: 'dont_ask' });
  assert.deepEqual(modeAgain('accept_edits', 'bypass'), { set: 'accept_edits' });
  for (const looser of ['bypass', 'accept_edits'] as const) {
    const { set, tell } = modeAgain(looser, 'default');
    assert.equal(set, undefined);
    assert.match(tell ?? '', new RegExp(looser));
  }
});

void test('nothing in a plain text is a link', () => {
  const text = 'see [this](command:evil) and [that](https://example.org)';
  assert.doesNotMatch(plain(text), /\]\(/);
  assert.equal(plain(text).replaceAll('\u2060', ''), text);
});

void test('a notification is a sentence, whoever made it, and leaves names as they are', () => {
  const table: [string, string][] = [
    ['nothing runs.', 'Nothing runs.'],
    ['The server ended.', 'The server ended.'],
    ['élan: none', 'Élan: none'],
    ['stopped', 'Stopped'],
    ['no', 'No'],
    ['“bypass” is no mode', '“bypass” is no mode'],
    ['greet.py is not open', 'greet.py is not open'],
    ['edit_file failed', 'edit_file failed'],
    ['src/a.py is gone', 'src/a.py is gone'],
    ['/usr/bin/mewcode is no server', '/usr/bin/mewcode is no server'],
    ['', ''],
  ];
  for (const [text, told] of table) {
    assert.equal(notification(text), `MewCode: ${told}`);
  }
  assert.doesNotMatch(notification('see [this](command:evil)'), /\]\(/);
});

void test('text of progress is no link, no icon, and not long', () => {
  const progress = 'bash echo $(pwd) [x](command:a)';
  assert.doesNotMatch(plainProgress(progress), /\]\(|\$\(/);
  assert.equal(plainProgress(progress).replaceAll('\u2060', ''), progress);
  assert.equal(plainProgress(`${'🦀'.repeat(60)}x`), `${'🦀'.repeat(60)}…`);
});
