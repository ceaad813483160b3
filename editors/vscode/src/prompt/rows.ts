// The rows below the field of a prompt, and what choosing one does. Pure but for its types.

import type { QuickPickItem } from 'vscode';
import { oneLine, withoutIcons } from '../ui/literal.ts';

/** What a row does when it is chosen. */
export type Choice =
  | { kind: 'send' }
  /** The field's text becomes this. */
  | { kind: 'fill'; text: string }
  /** Carries out what the server offers; by its place among the offers. */
  | { kind: 'offer'; index: number; words: string }
  | { kind: 'nothing' };

export interface Row extends QuickPickItem {
  choice: Choice;
}

const LONGEST = 200;

// The list sorts rows to the top whose label has the letters of the text in it. What the user typed earlier, or what the rows are
// about, therefore stands in the description.

export function sendRow(): Row {
  return { label: '$(send)', description: 'Send', alwaysShow: true, choice: { kind: 'send' } };
}

export function historyRow(text: string): Row {
  return {
    label: '$(history)',
    description: withoutIcons(oneLine(text, LONGEST)),
    alwaysShow: true,
    choice: { kind: 'fill', text },
  };
}

/** Replaces the word that is being written. */
export function completionRow(icon: string, name: string, detail: string, text: string): Row {
  return {
    label: `$(${icon})`,
    description: withoutIcons(detail === '' ? name : `${name}  ${detail}`),
    alwaysShow: true,
    choice: { kind: 'fill', text },
  };
}

export function offerRow(name: string, title: string, choice: Choice): Row {
  return { label: '$(sparkle)', description: withoutIcons(`/${name}  ${title}`), alwaysShow: true, choice };
}

/** Says something; choosing it does nothing. */
export function noteRow(text: string): Row {
  return { label: '$(info)', description: withoutIcons(text), alwaysShow: true, choice: { kind: 'nothing' } };
}

/** Earlier prompts that begin with the text first, then those that have it in them. */
export function matching(text: string, sent: readonly string[]): string[] {
  const wanted = text.trim().toLowerCase();
  const has = sent.filter((one) => one !== text && one.toLowerCase().includes(wanted));
  const begins = has.filter((one) => one.toLowerCase().startsWith(wanted));
  return [...begins, ...has.filter((one) => !begins.includes(one))];
}
