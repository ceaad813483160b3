// The server as VS Code runs it.

import * as assert from 'node:assert/strict';
import { edit, read, say } from '../harness/turns.ts';
import { Scene } from './scene.ts';

suite('server', () => {
  test('runs, and tells its hunks and the end of a run', async () => {
    const turns = [read('greet.py'), edit('greet.py', 'hi', 'good day', { status: 'denied' }), say('No.')];
    const scene = await Scene.begin({ 'greet.py': 'print("hi")\n' }, turns);
    const editor = await scene.open('greet.py');
    await scene.prompt('be polite');
    const [hunk] = await scene.hunks('greet.py', 1);
    assert.ok(hunk);
    assert.deepEqual(hunk.newLines, ['print("good day")']);
    assert.equal(editor.document.getText(), 'print("hi")\n');
    await scene.parts.server.execute('mewcode.review.reject', { hunk: hunk.id });
    await scene.ended();
    await scene.hunks('greet.py', 0).catch(() => assert.fail('the hunk stays'));
    await scene.end();
  });
});
