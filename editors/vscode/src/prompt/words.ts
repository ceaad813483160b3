// What is being typed into the field of a prompt: a file, a symbol, a command, or plain words. Pure.

export type Word =
  /** `@gre`: a file. */
  | { kind: 'file'; query: string; start: number; end: number }
  /** `@#greet`, or `@greet.py:gre`: a symbol of the workspace, or of a file. */
  | { kind: 'symbol'; path: string | undefined; query: string; start: number; end: number }
  /** `/expl` at the beginning, and what stands behind it. */
  | { kind: 'command'; query: string; rest: string; start: number; end: number };

/** Where the cursor is, to judge by what has just been changed: the field does not tell. */
export function editedAt(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let tail = 0;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) {
    tail++;
  }
  // The same character again: `aa|` may have become `aaa|` at any of its places. The last is the likeliest.
  let head = 0;
  while (head < most && before[head] === after[head]) {
    head++;
  }
  return Math.max(after.length - tail, Math.min(head, after.length));
}

/** The word that is being written at a place; undefined where plain words are. */
export function wordAt(text: string, at: number): Word | undefined {
  const start = Math.max(...[' ', '\t', '\n'].map((space) => text.lastIndexOf(space, at - 1))) + 1;
  const behind = /\s/.exec(text.slice(at));
  const end = behind ? at + behind.index : text.length;
  const word = text.slice(start, end);
  if (word.startsWith('@')) {
    return mention(word.slice(1), start, end);
  }
  const command = /^\/([^\s/]*)(?:$|\s+)/.exec(text);
  if (command) {
    const [head, query = ''] = command;
    return { kind: 'command', query, rest: text.slice(head.length), start: 0, end: query.length + 1 };
  }
  return undefined;
}

function mention(name: string, start: number, end: number): Word | undefined {
  if (name.startsWith('#')) {
    return { kind: 'symbol', path: undefined, query: name.slice(1), start, end };
  }
  // A quoted name, or one with its lines, is complete.
  if (name.startsWith('"') || /:\d+(-\d*)?$/.test(name)) {
    return undefined;
  }
  const colon = name.lastIndexOf(':');
  return colon > 0
    ? { kind: 'symbol', path: name.slice(0, colon), query: name.slice(colon + 1), start, end }
    : { kind: 'file', query: name, start, end };
}

/** How a file, or lines of it, counted from 1, are named in a prompt. */
export function mentionOf(path: string, lines?: { from: number; to: number }): string {
  const name = /\s/.test(path) ? `"${path}"` : path;
  const place = lines ? (lines.from === lines.to ? `:${lines.from}` : `:${lines.from}-${lines.to}`) : '';
  return `@${name}${place}`;
}

/** The text with the word replaced, and a space behind it. */
export function complete(text: string, word: Word, replacement: string): string {
  const rest = text.slice(word.end);
  return `${text.slice(0, word.start)}${replacement}${rest.startsWith(' ') ? '' : ' '}${rest}`;
}

/**
 * The names of commands by their titles: what the titles do not have in common at their ends. "Explain the selection" and
 * "Write tests for the selection" are `explain` and `write-tests`.
 */
export function commandNames(titles: readonly string[]): string[] {
  const split = titles.map((title) => title.toLowerCase().split(/\s+/));
  const shortest = Math.min(...split.map((words) => words.length));
  let common = 0;
  while (
    titles.length > 1 &&
    common < shortest - 1 &&
    split.every((words) => words.at(-1 - common) === split[0]?.at(-1 - common))
  ) {
    common++;
  }
  return split.map((words) => {
    const own = words.slice(0, words.length - common);
    while (own.length > 1 && /^(for|of|in|to|with|the|a)$/.test(own.at(-1) ?? '')) {
      own.pop();
    }
    return own.join('-').replace(/[^\p{L}\p{N}-]+/gu, '');
  });
}
