// Text for a notification, as text: VS Code makes links of `[title](target)` in it, commands among the targets. Text of progress is
// shown in the status bar too, where `$(name)` would be an icon. Pure.

const WORD_JOINER = '\u2060';

/** The text with nothing in it that VS Code would take for a link. It looks the same. */
export function plain(text: string): string {
  return text.replaceAll('](', `]${WORD_JOINER}(`);
}

/**
 * What a notification says: who speaks, then a sentence. Its first letter is a capital, unless it belongs to the name of
 * something: `greet.py` has none.
 */
export function notification(text: string): string {
  const sentence = text.replace(/^\p{Ll}(?=\p{Ll}*(?:[\s,:;]|[.!?]?(?:\s|$)))/u, (letter) =>
    letter.toUpperCase(),
  );
  return `MewCode: ${plain(sentence)}`;
}

/** More would push other items out of the status bar. */
const LONGEST_PROGRESS = 60;

/** The text, not too long, with nothing in it that would be a link in a notification or an icon in the status bar. */
export function plainProgress(text: string, most = LONGEST_PROGRESS): string {
  const letters = Array.from(text);
  const short = letters.length > most ? `${letters.slice(0, most).join('')}…` : text;
  return plain(short).replaceAll('$(', `$${WORD_JOINER}(`);
}
