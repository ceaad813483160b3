import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { locate, NotFound, type Places } from '../../src/server/locate.ts';

function places(more: Partial<Places>, ...files: string[]): Places {
  return {
    setting: '',
    searchPath: '/usr/bin:/opt/bin',
    home: '/home/cat',
    windows: false,
    extension: '/ext',
    canRun: (file) => files.includes(file),
    ...more,
  };
}

void test('the setting goes before PATH, and PATH before the extension', () => {
  const files = ['/own/mewcode', '/opt/bin/mewcode', '/ext/bin/mewcode'];
  assert.deepEqual(locate(places({ setting: '/own/mewcode' }, ...files)), {
    command: '/own/mewcode',
    from: 'settings',
  });
  assert.deepEqual(locate(places({}, ...files)), { command: '/opt/bin/mewcode', from: 'PATH' });
  assert.deepEqual(locate(places({}, '/ext/bin/mewcode')), {
    command: '/ext/bin/mewcode',
    from: 'extension',
  });
});

void test('the first folder of PATH that has it counts', () => {
  const files = ['/usr/bin/mewcode', '/opt/bin/mewcode'];
  assert.equal(locate(places({}, ...files)).command, '/usr/bin/mewcode');
});

void test('~/ is the home folder', () => {
  const found = locate(places({ setting: ' ~/bin/mewcode ' }, '/home/cat/bin/mewcode'));
  assert.equal(found.command, '/home/cat/bin/mewcode');
});

void test('a setting that names nothing is an error, and never silently another server', () => {
  const files = ['/usr/bin/mewcode', '/ext/bin/mewcode'];
  for (const setting of [
    '/gone/mewcode',
    '~/gone/mewcode',
    'mewcode',
    './mewcode',
    '${workspaceFolder}/mewcode',
  ]) {
    assert.throws(
      () => locate(places({ setting }, ...files)),
      (error) =>
        error instanceof NotFound &&
        error.message.includes('mewcode.server.path') &&
        error.message.includes(setting.replace('~', '').replace(/^\/home\/cat/, '')),
      setting,
    );
  }
});

void test('relative folders of PATH are not searched', () => {
  const searchPath = ':.:bin:node_modules/.bin:/opt/bin';
  assert.throws(() => locate(places({ searchPath }, 'bin/mewcode', 'mewcode', './mewcode')), NotFound);
  assert.equal(locate(places({ searchPath }, 'mewcode', '/opt/bin/mewcode')).command, '/opt/bin/mewcode');
});

void test('when there is none, the message says what to do and where it was sought', () => {
  assert.throws(
    () => locate(places({})),
    (error) =>
      error instanceof NotFound &&
      ['/usr/bin:/opt/bin:/ext/bin', 'mewcode.server.path', 'cargo install'].every((part) =>
        error.message.includes(part),
      ),
  );
});

void test('on Windows it is mewcode.exe, and paths are those of Windows', () => {
  const windows = {
    windows: true,
    searchPath: String.raw`C:\Windows;tools;D:\bin`,
    extension: String.raw`C:\ext`,
    home: String.raw`C:\Users\cat`,
  };
  const onPath = String.raw`D:\bin\mewcode.exe`;
  assert.equal(locate(places(windows, onPath)).command, onPath);
  const bundled = String.raw`C:\ext\bin\mewcode.exe`;
  assert.deepEqual(locate(places(windows, bundled)), { command: bundled, from: 'extension' });
  const own = String.raw`C:\Users\cat\mewcode.exe`;
  assert.equal(locate(places({ ...windows, setting: '~/mewcode.exe' }, own)).command, own);
});
