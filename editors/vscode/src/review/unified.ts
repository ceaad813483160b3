// The two sides of a unified diff of one file, as the server writes it of a file that is removed or moved. Pure.

export interface Texts {
  without: string;
  with: string;
}

/**
 * A removal's file stands wholly in its diff. Of a move there are the lines around each change, told apart as the diff does it,
 * and where the file was and is, for a move may change nothing else.
 */
export function textsOf(diff: string): Texts {
  const lines = diff.split('\n');
  const start = lines.findIndex((line) => line.startsWith('@@'));
  const header = start < 0 ? lines : lines.slice(0, start);
  const names = (before: string): string[] =>
    header.filter((line) => line.startsWith(before)).map((line) => `${line.slice(before.length)}\n`);
  const isMove = names('rename to ').length > 0;
  const texts = { without: names('rename from '), with: names('rename to ') };
  for (const line of start < 0 ? [] : lines.slice(start)) {
    const mark = line[0];
    const text = `${line.slice(1)}\n`;
    if (mark === '-' || mark === ' ') {
      texts.without.push(text);
    }
    if (mark === '+' || mark === ' ') {
      texts.with.push(text);
    }
    if (mark === '@' && isMove) {
      texts.without.push('…\n');
      texts.with.push('…\n');
    }
  }
  return { without: texts.without.join(''), with: texts.with.join('') };
}
