// Foreign text made fit to be shown as Markdown, to the letter as the server does it: what is grown here must equal what the
// server says afterwards, and must command nothing until then. Knows no document.

/** Where links may lead. */
const SCHEMES = ['http://', 'https://', 'file://'];

/** Tags that can do something, given attributes. */
const TAGS = new Set(
  'a area audio base button embed form frame iframe img input link math meta object script source style svg video'.split(
    ' ',
  ),
);

const SPACE = String.raw`[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
const SPACES = new RegExp(`${SPACE}+`);
const LEADING = new RegExp(`^${SPACE}+`);
const TRAILING = new RegExp(`${SPACE}+$`);
const AUTOLINK = new RegExp(`^[a-z0-9+.-]{2,}:(?!:)(?:(?!${SPACE})[^>])*>`, 'i');
const TARGET_END = new RegExp(`${SPACE}|[)>]`);
// Control characters but the line feed and the tab, and overrides of the direction.
// eslint-disable-next-line no-control-regex
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function trim(text: string): string {
  return trimEnd(text.replace(LEADING, ''));
}

/** A whole text of Markdown. */
export function markdown(text: string): string {
  let shown = '';
  let fence: string | undefined;
  for (const line of linesWithEnds(visible(text))) {
    const mark = fenceMark(line);
    shown += defuse(line, fence !== undefined || mark !== undefined);
    fence = fenceAfter(fence, line, mark);
  }
  if (fence !== undefined) {
    shown += (shown.endsWith('\n') ? '' : '\n') + fence;
  }
  return shown;
}

/** A text as a quotation. */
export function quoted(text: string): string {
  const body = markdown(trim(text)).replace(/\n$/, '');
  return body === ''
    ? ''
    : body
        .split('\n')
        .map((line) => trimEnd(`> ${line}`))
        .join('\n');
}

/** A text in one line of words. */
export function words(text: string): string {
  return defuse(trim(visible(text)).split(SPACES).join(' '), false);
}

/** A short text as code. */
export function code(text: string): string {
  const shown = visible(text).replaceAll('\n', ' ');
  const fence = '`'.repeat(longestRun(shown) + 1);
  return fence.length === 1 ? `\`${shown}\`` : `${fence} ${shown} ${fence}`;
}

/** A block of code. */
export function fenced(language: string, text: string): string {
  const shown = visible(text);
  const fence = '`'.repeat(Math.max(longestRun(shown) + 1, 3));
  return `${fence}${language}\n${shown.replace(/\n+$/, '')}\n${fence}\n`;
}

/** Without the characters that terminals obey or that reorder what is seen. */
export function visible(text: string): string {
  return text.replace(HIDDEN, '');
}

/** The fence at the beginning of a line, if there is one. */
export function fenceMark(line: string): string | undefined {
  const found = /^ {0,3}(`{3,}|~{3,})(.*)/.exec(line);
  const [, mark, info] = found ?? [];
  return mark?.startsWith('`') && info?.includes('`') ? undefined : mark;
}

/** The fence that is open after a line, given the one before it and the line's own. */
export function fenceAfter(
  open: string | undefined,
  line: string,
  mark: string | undefined,
): string | undefined {
  if (open === undefined) {
    return mark;
  }
  return mark?.startsWith(open) && trim(line) === mark ? undefined : open;
}

function linesWithEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function trimEnd(text: string): string {
  return text.replace(TRAILING, '');
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/** The line with what is live in it made text by a backslash. */
function defuse(line: string, inCode: boolean): string {
  let shown = '';
  let rest = line;
  // The definition of a reference is a link, too.
  const definition = line.replace(/^[ \t>]+/, '');
  const colon = definition.indexOf(']:');
  if (definition.startsWith('[') && colon !== -1 && !isHarmless(definition.slice(colon + 2))) {
    shown = line.slice(0, line.length - definition.length) + '\\';
    rest = definition;
  }
  for (;;) {
    const at = rest.search(/[<(]/);
    if (at === -1) {
      return shown + rest;
    }
    shown += rest.slice(0, at);
    const mark = rest.charAt(at);
    const after = rest.slice(at + 1);
    const isLive =
      mark === '('
        ? rest[at - 1] === ']' && !isHarmless(after)
        : (isAutolink(after) && !isHarmless(after)) || (!inCode && isTag(after));
    shown += isLive ? `\\${mark}` : mark;
    rest = after;
  }
}

/** Whether a link with this target, and whatever follows it, leads to http(s) or a file. */
function isHarmless(text: string): boolean {
  let target = text.replace(LEADING, '').replace(/^<+/, '');
  const end = TARGET_END.exec(target)?.index;
  if (end !== undefined) {
    target = target.slice(0, end);
  } else if (target === '') {
    // The target may follow on the next line.
    return false;
  }
  const lower = target.toLowerCase();
  if (SCHEMES.some((scheme) => lower.startsWith(scheme))) {
    return true;
  }
  // A scheme ends in a colon, which can be spelt as an entity or after a backslash, and comes before the path.
  return !/[:&\\]/.test(target.split(/[/#?]/)[0] ?? '');
}

/** Whether what follows a `<` is `scheme:something>`. A path of a program, `std::fmt`, is not taken for one. */
function isAutolink(after: string): boolean {
  return AUTOLINK.test(after);
}

/** Whether what follows a `<` is a tag that can do something. */
function isTag(after: string): boolean {
  const name = /^[a-z0-9]*/i.exec(after)?.[0] ?? '';
  const lower = name.toLowerCase();
  const actsAlone = lower === 'script' || lower === 'style';
  return TAGS.has(lower) && (actsAlone || after[name.length] !== '>');
}
