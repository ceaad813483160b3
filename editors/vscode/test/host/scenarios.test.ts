// The scenarios of tests/e2e/editors, each played in this VS Code. Neovim plays the same files (tests/e2e/editors.rs).

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { readScenario } from '../harness/scenario.ts';
import { Player } from './scenario.ts';

suite('scenarios', () => {
  const extension = vscode.extensions.getExtension('mewcode.mewcode');
  assert.ok(extension);
  const folder = path.resolve(extension.extensionPath, '../../tests/e2e/editors');
  const files = fs.readdirSync(folder).filter((file) => file.endsWith('.json'));
  assert.ok(files.length > 0);
  for (const file of files) {
    test(path.basename(file, '.json'), async () => {
      await Player.play(readScenario(fs.readFileSync(path.join(folder, file), 'utf8')));
    });
  }
});
