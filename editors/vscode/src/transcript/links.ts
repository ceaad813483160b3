// Where the links and the paths in a transcript lead. Nothing else is a link: not commands, not scripts, not other hosts' shares.
// Pure: whether there is such a file is not known here.

export type Target =
  | { kind: 'web'; url: string }
  /** The path as it is written: relative to the workspace, or absolute. Lines and columns from 1. */
  | { kind: 'file'; path: string; line?: number; column?: number };

const LONGEST = 1000;

/** Reads the target of a link, or a path as the model writes it: `src/a.ts`, `src/a.ts:12`, `src/a.ts:12-20`, `src/a.ts#L12`. */
export function parseTarget(written: string): Target | undefined {
  const text = written.trim();
  // eslint-disable-next-line no-control-regex
  if (text === '' || text.length > LONGEST || /[\0-\x1f\x7f\\]/.test(text)) {
    return undefined;
  }
  if (/^https?:\/\/[^/]/i.test(text)) {
    return { kind: 'web', url: text };
  }
  const local = /^file:\/\/(\/.*)$/i.exec(text)?.[1];
  const [, name = '', line, column, hash] =
    /^(.*?)(?::(\d+)(?:[-–]\d+|:(\d+))?|#L(\d+)(?:-L?\d+)?)?$/.exec(local ?? text) ?? [];
  const path = decoded(name);
  const isDrive = /^[a-z]:\//i.test(path);
  if (path === '' || path.startsWith('//') || /[:#?\0]/.test(isDrive ? path.slice(2) : path)) {
    return undefined;
  }
  const target: Target = { kind: 'file', path };
  const at = line ?? hash;
  if (at !== undefined && Number(at) > 0) {
    target.line = Number(at);
  }
  if (column !== undefined && Number(column) > 0) {
    target.column = Number(column);
  }
  return target;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface Span {
  start: number;
  end: number;
}

// A word with an extension, or with a slash, and perhaps lines behind it.
const PATH =
  /(?<![\w@/.~-])(?:\/|\.{1,2}\/)?[\w+-][\w.+-]*(?:\/[\w.@+-]+)*(?::\d+(?:-\d+|:\d+)?)?(?![\w/@])/g;

/** What in a piece of code may name a file. */
export function pathsIn(code: string): Span[] {
  if (code.length > LONGEST) {
    return [];
  }
  return [...code.matchAll(PATH)]
    .map((found) => ({ start: found.index, end: found.index + found[0].replace(/[.,]+$/, '').length }))
    .filter(({ start, end }) => /\/\w|\.[a-z]/i.test(code.slice(start, end)));
}

export interface TextLink extends Span {
  target: Target;
}

/** The links in the text of a transcript: those of Markdown, and what is written as code or heads a diff and may name a file. */
export function linksIn(markdown: string, most: number): TextLink[] {
  const links: TextLink[] = [];
  const add = (start: number, end: number): void => {
    const target = parseTarget(markdown.slice(start, end));
    if (target) {
      links.push({ start, end, target });
    }
  };
  const found = markdown.matchAll(/\]\(([^\s()<>]+)\)|`([^`\n]{1,300})`|^(?:---|\+\+\+) (.+)$/gm);
  for (const { index, 0: whole, 1: link, 2: code, 3: header } of found) {
    if (links.length >= most) {
      break;
    }
    if (link !== undefined) {
      add(index + 2, index + 2 + link.length);
    } else if (code !== undefined) {
      for (const { start, end } of pathsIn(code)) {
        add(index + 1 + start, index + 1 + end);
      }
    } else if (header !== undefined && header !== '/dev/null') {
      add(index + whole.length - header.length, index + whole.length);
    }
  }
  return links;
}
