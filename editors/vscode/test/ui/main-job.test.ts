// The main job in the real workbench, by keyboard alone.

import * as assert from 'node:assert/strict';
import { edit, read, say } from '../harness/turns.ts';
import { until } from '../harness/window.ts';
import { scene } from './stage.ts';

scene(
  'a code action accepts a hunk',
  { 'greet.py': 'def greet():\n    print("hi")\n' },
  [read('greet.py'), edit('greet.py', 'hi', 'good day'), say('Polite now.')],
  async (window, workspace) => {
    await window.open('greet.py');
    const explain = await window.codeAction('Explain');
    await explain.first().waitFor();
    await window.press('Escape');
    await window.screenshot('main-job-1');
    assert.equal(workspace.disk('greet.py'), 'def greet():\n    print("hi")\n');
    await until('the text', async () => (await window.text()).includes('hi'));
  },
);
