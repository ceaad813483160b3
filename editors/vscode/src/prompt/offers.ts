// What the server offers to do at a place, by its code actions: explain, review, and whatever comes the same way.

import type { CodeAction, CodeActionParams, Command } from 'vscode-languageclient';
import * as vscode from 'vscode';
import type { PromptArguments } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import type { Subject } from './subject.ts';
import { commandNames } from './words.ts';

const KIND = 'refactor.rewrite.mewcode';

export interface Offer {
  /** As it is typed behind the slash. */
  name: string;
  title: string;
  action: CodeAction;
}

/** The offers at a place. */
export async function offersAt(connection: Connection, subject: Subject): Promise<Offer[]> {
  if (!subject.uri) {
    return [];
  }
  const params: CodeActionParams = {
    textDocument: { uri: connection.fromUri(subject.uri) },
    range: connection.fromRange(subject.range ?? subject.cursor ?? new vscode.Range(0, 0, 0, 0)),
    context: { diagnostics: [], only: [KIND] },
  };
  const found = await connection.request<(Command | CodeAction)[] | null>('textDocument/codeAction', params);
  const actions = (found ?? []).filter((one): one is CodeAction => typeof one.command !== 'string');
  const names = commandNames(actions.map((action) => action.title));
  return actions.map((action, index) => ({ name: names[index] ?? '', title: action.title, action }));
}

/** What carries an offer out: a prompt, to which the user's words are added, or a command of the server. */
export type Carried = { prompt: PromptArguments } | { command: string; arguments: unknown[] };

export async function carriedOut(connection: Connection, offer: Offer, words: string): Promise<Carried> {
  const { action } = offer;
  const { command } = action.command
    ? action
    : await connection.request<CodeAction>('codeAction/resolve', action);
  if (!command) {
    throw new Error(`the server offers “${offer.title}” no longer; open the field again.`);
  }
  const [argument] = (command.arguments ?? []) as (PromptArguments | undefined)[];
  if (command.command !== 'mewcode.prompt' || !argument) {
    return { command: command.command, arguments: command.arguments ?? [] };
  }
  return { prompt: words === '' ? argument : { ...argument, text: `${argument.text}\n\n${words}` } };
}
