// What language features answered, in the words of mewcode/query. Pure: knows the shapes of VS Code's values, and nothing of
// VS Code.

import type { QueryDiagnostic, QueryLocation } from '../protocol.ts';

/** More of a message or of a text is not sent. */
const MAX_CHARACTERS = 32_000;

/** The first entries of a list, and how many are left out. */
export function bounded<T>(list: readonly T[], limit: number): { shown: T[]; leftOut: number } {
  return { shown: list.slice(0, limit), leftOut: Math.max(list.length - limit, 0) };
}

/** As much of a text as is sent. */
export function short(text: string): string {
  return text.length > MAX_CHARACTERS
    ? `${text.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…`
    : text;
}

/** What VS Code knows as a diagnostic. */
export interface DiagnosticLike {
  range: { start: { line: number } };
  /** 0 error, 1 warning, 2 information, 3 hint. */
  severity: number;
  message: string;
  source?: string | undefined;
  code?: string | number | { value: string | number } | undefined;
}

export function diagnosticOf({ range, severity, message, source, code }: DiagnosticLike): QueryDiagnostic {
  const value = typeof code === 'object' ? code.value : code;
  return {
    line: range.start.line,
    severity: severity + 1,
    message: short(message),
    ...(source === undefined ? {} : { source: short(source) }),
    ...(value === undefined ? {} : { code: short(String(value)) }),
  };
}

/** Diagnostics of several documents: the worst of too many, by document. */
export function worst(
  documents: readonly { uri: string; diagnostics: readonly QueryDiagnostic[] }[],
  limit: number,
): { diagnostics: { uri: string; diagnostics: QueryDiagnostic[] }[]; leftOut: number } {
  const all = documents.flatMap(({ uri, diagnostics }) => diagnostics.map((one) => ({ uri, one })));
  all.sort((a, b) => a.one.severity - b.one.severity);
  const { shown, leftOut } = bounded(all, limit);
  const grouped = new Map<string, QueryDiagnostic[]>();
  for (const { uri, one } of shown) {
    grouped.set(uri, [...(grouped.get(uri) ?? []), one]);
  }
  return { diagnostics: [...grouped].map(([uri, diagnostics]) => ({ uri, diagnostics })), leftOut };
}

interface UriLike {
  toString(): string;
}

interface RangeLike {
  start: { line: number };
}

/** What VS Code knows as a place: a location, or a link to one. */
export type LocationLike =
  | { uri: UriLike; range: RangeLike }
  | { targetUri: UriLike; targetRange: RangeLike; targetSelectionRange?: RangeLike | undefined };

/** Places, none of them twice. */
export function locationsOf(found: readonly LocationLike[]): QueryLocation[] {
  const places = found.map((place) =>
    'targetUri' in place
      ? {
          uri: place.targetUri.toString(),
          line: (place.targetSelectionRange ?? place.targetRange).start.line,
        }
      : { uri: place.uri.toString(), line: place.range.start.line },
  );
  const known = new Map(places.map((place) => [`${place.line} ${place.uri}`, place]));
  return [...known.values()];
}

/** What VS Code knows as the content of a hover. */
export type HoverContent = string | { value: string; language?: string };

/** A hover as Markdown. */
export function hoverText(contents: readonly HoverContent[]): string {
  const parts = contents.map((content) => {
    if (typeof content === 'string') {
      return content;
    }
    return content.language === undefined
      ? content.value
      : `\`\`\`${content.language}\n${content.value}\n\`\`\``;
  });
  return short(parts.filter((part) => part.trim() !== '').join('\n\n'));
}
