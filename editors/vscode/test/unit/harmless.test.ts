// Foreign text in transcripts: the same cases as the server's own tests.

import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { code, fenced, markdown, quoted, words } from '../../src/transcript/harmless.ts';
import { effort } from './effort.ts';

void test('ordinary Markdown is left alone', () => {
  for (const text of [
    '',
    '# Title\n\n- *a* [b](https://x.org/a_(b)) [c](src/a.rs#L10) [d](FILE:///x) <https://x.org>\n',
    '`Vec<String>` and Vec<T: Display, std::fmt::Debug> if a < b (c) [i](j) []()',
    '```rust\nlet x: Vec<std::fmt::Error> = f[0](1); // <img src=x>\n```\n',
    '~~~\n```\n~~~\n[1]: https://x.org "t"\n',
    '<details><summary>x</summary></details> <a> é 🚀\ttab',
  ]) {
    assert.equal(markdown(text), text);
  }
});

void test('links to elsewhere lose their link', () => {
  for (const [text, expected] of [
    ['[x](command:foo)', '[x]\\(command:foo)'],
    ['![x](data:image/svg+xml,y)', '![x]\\(data:image/svg+xml,y)'],
    ['[x]( <JavaScript:alert(1)>)', '[x]\\( \\<JavaScript:alert(1)>)'],
    ['[x](&#99;ommand:foo)', '[x]\\(&#99;ommand:foo)'],
    ['[x](command\\:foo)', '[x]\\(command\\:foo)'],
    ['[x](\ncommand:foo)', '[x]\\(\ncommand:foo)'],
    ['`[x](command:foo)`', '`[x]\\(command:foo)`'],
    ['```\n[x](command:foo)\n```', '```\n[x]\\(command:foo)\n```'],
    ['<command:foo> <vscode://x>', '\\<command:foo> \\<vscode://x>'],
    ['a\n  [1]: command:foo', 'a\n  \\[1]: command:foo'],
    ['> [1]: command:foo [x](command:y)', '> \\[1]: command:foo [x]\\(command:y)'],
    ['[1]:', '\\[1]:'],
  ] as const) {
    assert.equal(markdown(text), expected);
  }
});

void test('tags with attributes become text', () => {
  for (const [text, expected] of [
    ['<img src=x>', '\\<img src=x>'],
    ["<A\nhref='command:x'>", "\\<A\nhref='command:x'>"],
    ['<svg/onload=x>', '\\<svg/onload=x>'],
    ['<script>', '\\<script>'],
    ['~~~\n<img src=x>\n~~~\n<img src=x>', '~~~\n<img src=x>\n~~~\n\\<img src=x>'],
    ['    ```\n<img src=x>', '    ```\n\\<img src=x>'],
    ['```a`\n<img src=x>', '```a`\n\\<img src=x>'],
    ['````\n```\n~~~~\n<img src=x>\n````\n', '````\n```\n~~~~\n<img src=x>\n````\n'],
  ] as const) {
    assert.equal(markdown(text), expected);
  }
});

void test('terminal escapes and overrides of the direction go', () => {
  assert.equal(markdown('a\u001b[31mb\u009bc\u202ed\r\ne\u0007'), 'a[31mbcd\ne');
  assert.equal(words('a\u001b\n b\t<img src=x>'), 'a b \\<img src=x>');
});

void test('an open fence is closed', () => {
  assert.equal(markdown('````x\ncode'), '````x\ncode\n````');
  assert.equal(markdown('~~~\ncode\n'), '~~~\ncode\n~~~');
});

void test('code cannot be left from inside', () => {
  assert.equal(code('read_file a.rs'), '`read_file a.rs`');
  assert.equal(code('a ``b`` \n`'), '``` a ``b``  ` ```');
  assert.equal(fenced('diff', '+a\n'), '```diff\n+a\n```\n');
  assert.equal(fenced('diff', '+````\n'), '`````diff\n+````\n`````\n');
});

void test('a quotation has a mark on each line', () => {
  assert.equal(quoted(' a\n\nb '), '> a\n>\n> b');
  assert.equal(quoted(''), '');
});

void test('a huge line takes no time to speak of', () => {
  const milliseconds = effort(() => {
    for (const piece of ['(', '<', ']( ', '[x](a) ', '<a ', '`']) {
      markdown(piece.repeat(300_000));
    }
  });
  assert.ok(milliseconds < 3000, `${milliseconds} ms`);
});
