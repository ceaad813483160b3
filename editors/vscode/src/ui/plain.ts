// Text for a notification, as text: VS Code makes links of `[title](target)` in it, commands among the targets. Pure.

const WORD_JOINER = '\u2060';

/** The text with nothing in it that VS Code would take for a link. It looks the same. */
export function plain(text: string): string {
  return text.replaceAll('](', `]${WORD_JOINER}(`);
}
