// Renders the pieces of a transcript as HTML. All of it is text of a model, of tools, of the user: no HTML of theirs, no images,
// and links only to where a transcript may lead. Pure; runs in the page.

import MarkdownIt from 'markdown-it';
import { parseTarget, pathsIn } from './links.ts';

/** Longer pieces are shown as they are, and not wholly. */
const LONGEST = 200_000;
/** Lists of more calls are folded. */
const MOST_CALLS = 5;

const markdown = new MarkdownIt({ html: false, linkify: false });
markdown.disable('image');
markdown.validateLink = (target): boolean => parseTarget(target) !== undefined;
const { rules } = markdown.renderer;
const { escapeHtml } = markdown.utils;

rules['link_open'] = (tokens, index): string => {
  const target = String(tokens[index]?.attrGet('href') ?? '');
  return `<a href="#" data-target="${escapeHtml(target)}" title="${escapeHtml(target)}">`;
};

rules['code_inline'] = (tokens, index): string => `<code>${withPaths(tokens[index]?.content ?? '')}</code>`;

rules['fence'] = (tokens, index): string => {
  const { content = '', info = '' } = tokens[index] ?? {};
  const code = `<pre><code>${escapeHtml(content)}</code></pre>`;
  switch (info.trim()) {
    case 'diff':
      return diff(content);
    case 'output':
      return `<details><summary>${outputTitle(content)}</summary>${code}</details>\n`;
    default:
      return `${code}\n`;
  }
};

/** A piece of a transcript. */
export function render(piece: string): string {
  if (piece.length > LONGEST) {
    const more = piece.length - LONGEST;
    return `<pre>${escapeHtml(piece.slice(0, LONGEST))}</pre>
<p class="note">${more} more characters: <a href="#" data-text>show the transcript as text</a></p>`;
  }
  const tokens = markdown.parse(piece, {});
  return markdown.renderer.render(folded(tokens, piece.split('\n')), markdown.options, {});
}

type Token = ReturnType<typeof markdown.parse>[number];

/** The tokens with long lists of calls that are all over folded. */
function folded(tokens: Token[], lines: readonly string[]): Token[] {
  return tokens.flatMap((token) => {
    const count =
      token.level === 0 && token.type.startsWith('bullet_list_') ? callsIn(lines, listOf(tokens, token)) : 0;
    if (count <= MOST_CALLS) {
      return [token];
    }
    return token.nesting === 1
      ? [ours(token, `<details><summary>${count} calls</summary>`), token]
      : [token, ours(token, '</details>')];
  });
}

/** The token that opens the list that a token opens or closes. */
function listOf(tokens: readonly Token[], token: Token): Token | undefined {
  const index = tokens.indexOf(token);
  return tokens.slice(0, index + 1).findLast((one) => one.type === 'bullet_list_open' && one.level === 0);
}

/** How many calls a list is one of that are all over; 0 if it is anything else. */
function callsIn(all: readonly string[], list: Token | undefined): number {
  const lines = all.slice(...(list?.map ?? [0, 0])).filter((line) => line !== '');
  const calls = lines.filter((line) => /^- [✓✗?] /.test(line)).length;
  return lines.every((line) => /^(- [✓✗?] | {2}- )/.test(line)) ? calls : 0;
}

/** HTML of this page's own making. */
function ours(token: Token, html: string): Token {
  const made = Object.assign(Object.create(Object.getPrototypeOf(token) as object) as Token, token);
  return Object.assign(made, {
    type: 'html_block',
    tag: '',
    nesting: 0,
    content: html,
    attrs: null,
    children: null,
  });
}

/** What stands for the folded output of a command. */
function outputTitle(output: string): string {
  const lines = output.replace(/\n$/, '').split('\n').length;
  return lines === 1 ? 'Output: 1 line' : `Output: ${lines} lines`;
}

/** What may name a file is marked; the page asks which of it does. */
function withPaths(code: string): string {
  let html = '';
  let at = 0;
  for (const { start, end } of pathsIn(code)) {
    const path = escapeHtml(code.slice(start, end));
    html += `${escapeHtml(code.slice(at, start))}<span data-path="${path}">${path}</span>`;
    at = end;
  }
  return html + escapeHtml(code.slice(at));
}

function diff(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const [before, after] = [headed(lines[0], '--- '), headed(lines[1], '+++ ')];
  const isDiff = before !== undefined && after !== undefined;
  const body = isDiff ? lines.slice(2) : lines;
  const count = (mark: string): number => body.filter((line) => line.startsWith(mark)).length;
  const shown = body.map((line) => {
    const kind = line.startsWith('+')
      ? 'added'
      : line.startsWith('-')
        ? 'removed'
        : line.startsWith('@@')
          ? 'place'
          : '';
    return `<span class="${kind}">${escapeHtml(line)}\n</span>`;
  });
  const code = `<pre class="diff"><code>${shown.join('')}</code></pre>`;
  if (!isDiff) {
    return `${code}\n`;
  }
  const name = after === '/dev/null' ? before : after;
  const title = `<span data-path="${escapeHtml(name)}">${escapeHtml(name)}</span>`;
  const counts = `<span class="added">+${count('+')}</span> <span class="removed">−${count('-')}</span>`;
  return `<details><summary>${title} ${counts}</summary>${code}</details>\n`;
}

function headed(line: string | undefined, head: string): string | undefined {
  return line?.startsWith(head) ? line.slice(head.length) : undefined;
}
