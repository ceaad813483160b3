// The HTML of a transcript: nothing in it is of the model's making.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { render } from '../../src/transcript/render.ts';
import { titleOf } from '../../src/transcript/title.ts';
import { effort } from './effort.ts';

void test('hostile text is text', () => {
  for (const hostile of [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="command:x">y</a>',
    '![x](https://x.org/track.png)',
    '![x](data:image/svg+xml,y)',
    '[x](command:workbench.action.quit)',
    '[x](javascript:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '<command:x>',
    '[x]\n\n[x]: command:y',
    '```"><script>alert(1)</script>\n<script>\n```',
    '`<script>a.ts</script>`',
    '[x](src/a.ts"onclick="alert(1))',
    '```diff\n--- "><img src=x>\n+++ "><img src=x>\n+<img src=x>\n```',
    '| a |\n| - |\n| <iframe src=x> |',
  ]) {
    const html = render(hostile);
    const tags = html.match(/<[a-z][^>]*>/g) ?? [];
    for (const tag of tags) {
      assert.match(
        tag,
        /^<(p|pre|code|details|summary|span|a|table|thead|tbody|tr|t[hd])( (href|data-target|data-path|title|class)="[^"]*")*>$/,
        hostile,
      );
      assert.doesNotMatch(tag, /href="(?!#")|data-target="(?!https:\/\/x\.org|src\/a\.ts)/, hostile);
    }
  }
});

void test('files and pages are links', () => {
  assert.match(
    render('[x](src/a.ts:12)'),
    /<a href="#" data-target="src\/a.ts:12" title="src\/a.ts:12">x<\/a>/,
  );
  assert.match(render('<https://x.org>'), /data-target="https:\/\/x.org"/);
  assert.match(render('`cat src/a.ts`'), /<code>cat <span data-path="src\/a.ts">src\/a.ts<\/span><\/code>/);
});

void test('diffs, outputs and long lists of calls are folded', () => {
  const diff = render('```diff\n--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-x\n+y <b>\n```\n');
  assert.match(
    diff,
    /^<details><summary><span data-path="a.ts">a.ts<\/span> <span class="added">\+1<\/span>/,
  );
  assert.match(diff, /<span class="added">\+y &lt;b&gt;\n<\/span>/);
  assert.equal(
    render('```output\n<b>\n  x\n```\n'),
    '<details><summary>Output: 2 lines</summary><pre><code>&lt;b&gt;\n  x\n</code></pre></details>\n',
  );
  assert.match(render('```output\nx\n```\n'), /<summary>Output: 1 line<\/summary>/);
  const calls = (count: number): string => '- ✓ `read_file a`: 1 line\n'.repeat(count);
  assert.match(render(calls(6)), /^<details><summary>6 calls<\/summary><ul>/);
  assert.match(render(calls(5)), /^<ul>/);
  assert.match(render(`${calls(6)}- … \`bash x\`\n`), /^<ul>/);
});

void test('a huge piece is cut, and quickly', () => {
  const milliseconds = effort(() => {
    const html = render('x<'.repeat(5_000_000));
    assert.ok(html.length < 1_500_000);
    assert.match(html, /9800000 more characters/);
    render('*a'.repeat(50_000));
    render('['.repeat(100_000));
    render('> '.repeat(50_000));
  });
  assert.ok(milliseconds < 3000, `${milliseconds} ms`);
});

void test('a view is named by its first prompt', () => {
  assert.equal(titleOf('# Session s\n'), 'Transcript');
  assert.equal(titleOf('# Session s\n\n## Prompt\n\n> be polite\n> x\n'), 'Transcript: be polite');
  assert.equal(titleOf(`## Prompt\n\n> ${'é'.repeat(40)}`), `Transcript: ${'é'.repeat(30)}…`);
});
