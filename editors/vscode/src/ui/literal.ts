// Text of strangers as it is: what would be invisible, or would make other text look different from what it is, is written out;
// what VS Code would make an icon of stays text. Pure: knows no question and no editor. Links in notifications: plain.ts.

const OPEN = '⟨';
const CLOSE = '⟩';

/** What VS Code makes an icon of: a name, and how it moves. */
const ICON = /\$\([a-z0-9-]+(?:~[a-z]+)?\)/gi;

/** Characters that show nothing, look like another blank, or turn the direction of what stands around them. */
const UNSEEN = new RegExp(
  [
    String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]`,
    String.raw`(?! )\p{Zs}`,
    // Without a shape of their own: a joiner, fillers, vowels, selectors, the empty Braille cell.
    String.raw`\u034f|\u115f|\u1160|\u17b4|\u17b5|[\u180b-\u180f]|\u2800|\u3164|[\ufe00-\ufe0f]|\uffa0|[\u{e0100}-\u{e01ef}]`,
  ].join('|'),
  'gu',
);

function visible(text: string): string {
  return text.replace(UNSEEN, (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return `${OPEN}U+${code.toString(16).toUpperCase().padStart(4, '0')}${CLOSE}`;
  });
}

/** In one line; its line breaks are shown too. */
export function line(text: string): string {
  return visible(text.trimEnd().replace(/\r?\n/g, '⏎'));
}

/** In its lines, without empty ones at the end. */
export function lines(text: string): string[] {
  return text
    .trimEnd()
    .split(/\r?\n/)
    .map((one) => visible(one));
}

/** Words on one line, whatever blanks are between them, and not too long. */
export function oneLine(text: string, most: number): string {
  const words = text.replace(/\s+/g, ' ').trim();
  return words.length > most ? `${words.slice(0, most)}…` : words;
}

/** As many characters as fit, with a mark that says how many are missing. */
export function cut(text: string, most: number): string {
  const letters = Array.from(text);
  return letters.length <= most
    ? text
    : `${letters.slice(0, most).join('')}… (+${letters.length - most} characters)`;
}

/** A line in pieces that fit into a width, counted in narrow letters. Broken behind a blank where there is one. */
export function wrap(text: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  let blank = 0;
  for (const letter of text) {
    const wide = letterWidth(letter);
    if (used + wide > width && piece !== '') {
      const end = blank > piece.length / 2 ? blank : piece.length;
      pieces.push(piece.slice(0, end));
      piece = piece.slice(end);
      used = Array.from(piece).reduce((sum, one) => sum + letterWidth(one), 0);
      blank = 0;
    }
    piece += letter;
    used += wide;
    if (letter === ' ') {
      blank = piece.length;
    }
  }
  return [...pieces, piece];
}

/** East Asian letters and pictures are as wide as two. */
function letterWidth(letter: string): number {
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{3fffd}]/u.test(
    letter,
  )
    ? 2
    : 1;
}

/** "1 hunk", "2 hunks". */
export function count(number: number, word: string): string {
  return number === 1 ? `1 ${word}` : `${number} ${word}s`;
}

/** For a label in which `$(name)` would be an icon: rows of picks, the status bar. VS Code would show a backslash before others. */
export function withoutIcons(text: string): string {
  return text.replace(ICON, '\\$&');
}
