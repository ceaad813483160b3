// What git ignores, asked of the real git.

import * as assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { ignored } from '../../src/prompt/ignored.ts';

void suite('what git ignores', () => {
  let root: string;

  beforeEach(() => {
    root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mewcode-ignored-')));
  });

  afterEach(() => {
    fs.rmSync(root, { recursive: true, force: true });
  });

  function write(files: Record<string, string>): void {
    for (const [file, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      fs.writeFileSync(path.join(root, file), text);
    }
  }

  function git(...words: string[]): void {
    execFileSync('git', words, { cwd: root });
  }

  /** Those of these that are ignored, as a window on a folder names them. */
  async function of(folder: string, files: readonly string[], signal?: AbortSignal): Promise<string[]> {
    const judge = await ignored(
      path.join(root, folder),
      `/w/${folder}`,
      signal ?? new AbortController().signal,
    );
    return files.filter((file) => judge(`/w/${file}`));
  }

  const FILES = {
    '.gitignore': '*.log\n/build/\n!keep.log\n',
    'sub/.gitignore': 'ä b.txt\n',
    'a.log': '',
    'keep.log': '',
    'build/deep/x.txt': '',
    'sub/build/x.txt': '',
    'sub/ä b.txt': '',
    'sub/b.log': '',
    'tracked.log': '',
    'new.txt': '',
  };

  void test('by the rules of all its files, tracked ones and new ones left', async () => {
    write(FILES);
    git('init', '--quiet');
    git('add', '--force', 'tracked.log');
    assert.deepEqual(await of('', Object.keys(FILES)), [
      'a.log',
      'build/deep/x.txt',
      'sub/ä b.txt',
      'sub/b.log',
    ]);
    // A window on a part of the repository.
    assert.deepEqual(await of('sub', Object.keys(FILES)), ['sub/ä b.txt', 'sub/b.log']);
  });

  void test('is nothing outside of a repository, or when it is not wanted any more', async () => {
    write(FILES);
    assert.deepEqual(await of('', Object.keys(FILES)), []);
    git('init', '--quiet');
    assert.deepEqual(await of('', Object.keys(FILES), AbortSignal.abort()), []);
  });

  void test('runs no program that the repository names', async () => {
    write({ ...FILES, 'hook.sh': '#!/bin/sh\ntouch ran\n' });
    fs.chmodSync(path.join(root, 'hook.sh'), 0o755);
    git('init', '--quiet');
    git('config', 'core.fsmonitor', path.join(root, 'hook.sh'));
    assert.deepEqual(await of('', ['a.log']), ['a.log']);
    assert.equal(fs.existsSync(path.join(root, 'ran')), false);
  });
});
