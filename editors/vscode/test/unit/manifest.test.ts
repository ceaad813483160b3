// What the manifest promises of every setting.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { test } from 'node:test';

interface Manifest {
  contributes: { configuration: { properties: Record<string, { scope?: string }> }[] };
}

void test('no setting is read from a workspace', () => {
  const file = new URL('../../package.json', import.meta.url);
  const { contributes } = JSON.parse(fs.readFileSync(file, 'utf8')) as Manifest;
  const settings = contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
  const open = settings.filter(([, { scope }]) => scope !== 'machine' && scope !== 'application');
  assert.ok(settings.length > 20);
  assert.deepEqual(open, []);
});
