// Prompting: the command that asks for words and sends them, with what they are about. What is typed is kept until it is sent.

import * as vscode from 'vscode';
import type { PromptArguments } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import { ServerUnavailable } from '../server/connection.ts';
import { notification } from '../ui/plain.ts';
import { command, words } from '../ui/report.ts';
import { Field } from './field.ts';
import { pathOf, Recent } from './files.ts';
import { History, type Memory } from './history.ts';
import { carriedOut } from './offers.ts';
import type { Choice } from './rows.ts';
import { nameOf, type Subject, subjectOf } from './subject.ts';
import { Suggestions } from './suggest.ts';
import { mentionOf } from './words.ts';

/** So long a prompt waits for a server that starts. */
const START_MILLISECONDS = 30_000;

/** What `mewcode.prompt` answers. */
export interface Started {
  session: string;
  run: string;
}

export class Prompt implements vscode.Disposable {
  readonly history: History;
  readonly #connection: Connection;
  /** Resolves when the server has the documents as they are. */
  readonly #inStep: () => Promise<unknown>;
  readonly #recent = new Recent();
  readonly #command: vscode.Disposable;
  /** The field that is open. */
  #field: Field | undefined;

  constructor(connection: Connection, memory: Memory, inStep: () => Promise<unknown>) {
    this.#connection = connection;
    this.#inStep = inStep;
    this.history = new History(memory);
    this.#command = command('mew.prompt', (given: unknown) =>
      isPrompt(given) ? this.#send(given) : this.#ask(given),
    );
  }

  get field(): Field | undefined {
    return this.#field;
  }

  dispose(): void {
    this.#command.dispose();
    this.#recent.dispose();
    this.#field?.dispose();
  }

  /** Asks for words. `given`: the file that a menu was opened on. */
  async #ask(given: unknown): Promise<void> {
    if (!this.#isThere()) {
      return;
    }
    const folder = given instanceof vscode.Uri && (await isFolder(given)) ? given : undefined;
    const subject = folder ? {} : subjectOf(given);
    const draft = this.history.draft;
    const mention = folder ? `${mentionOf(pathOf(folder))} ` : '';
    const name = nameOf(subject);
    const suggestions = new Suggestions(this.#connection, this.history, subject, this.#recent);
    this.#field?.dispose();
    const field = new Field({
      title: name === '' ? 'Prompt' : `Prompt about ${name}`,
      text: draft.includes(mention.trim()) ? draft : `${draft === '' ? '' : `${draft.trimEnd()} `}${mention}`,
      rows: (text, at) => suggestions.rows(text, at),
      typed: (text) => {
        void this.history.keep(text);
      },
    });
    this.#field = field;
    try {
      const chosen = await field.ask();
      if (chosen) {
        field.dispose();
        await this.#carryOut(chosen.row.choice, chosen.text, subject, suggestions);
      }
    } finally {
      field.dispose();
      suggestions.dispose();
      if (this.#field === field) {
        this.#field = undefined;
      }
    }
  }

  async #carryOut(choice: Choice, text: string, subject: Subject, suggestions: Suggestions): Promise<void> {
    await this.history.keep(text);
    let prompt: PromptArguments | undefined = { text: text.trim(), ...this.#placeOf(subject) };
    if (choice.kind === 'offer') {
      const offer = (await suggestions.offers())[choice.index];
      const carried = offer && (await carriedOut(this.#connection, offer, choice.words));
      if (carried && 'command' in carried) {
        await vscode.commands.executeCommand(carried.command, ...carried.arguments);
      }
      prompt = carried && 'prompt' in carried ? carried.prompt : undefined;
    }
    const isSent = prompt === undefined || (await this.#send(prompt)) !== undefined;
    if (isSent) {
      await this.history.add(text.trim());
      // Unless the field was opened again meanwhile.
      if (this.history.draft === text) {
        await this.history.keep('');
      }
    }
  }

  #placeOf({ uri, range }: Subject): Pick<PromptArguments, 'uri' | 'range'> {
    return {
      ...(uri ? { uri: this.#connection.fromUri(uri) } : {}),
      ...(range ? { range: this.#connection.fromRange(range) } : {}),
    };
  }

  /** Undefined if it could not be sent, which the user was told. */
  async #send(prompt: PromptArguments): Promise<Started | undefined> {
    try {
      if (!this.#isThere()) {
        return undefined;
      }
      await this.#started();
      await this.#inStep();
      return await this.#connection.execute<Started>('mewcode.prompt', prompt);
    } catch (error) {
      void vscode.window.showErrorMessage(
        notification(`the prompt was not sent, and its words are kept: ${words(error)}`),
      );
      return undefined;
    }
  }

  /** Whether there is a server, or will be soon. If not, says why and what to do. */
  #isThere(): boolean {
    const { phase, reason } = this.#connection;
    if (phase === 'running' || phase === 'starting') {
      return true;
    }
    const held = !vscode.workspace.isTrusted;
    const answers = held ? ['Manage Workspace Trust'] : ['Restart the Server', 'Show the Server’s Log'];
    const why = held
      ? (reason ?? 'This workspace is not trusted. Trust it to prompt.')
      : `${reason ?? 'The server does not run.'} Start it again to prompt; its log may say more.`;
    const asked = vscode.window.showWarningMessage(notification(why), ...answers);
    const commands = held ? ['workbench.trust.manage'] : ['mew.restart', 'mew.showLog'];
    void asked.then((answer) => {
      const chosen = commands[answers.indexOf(answer ?? '')];
      if (chosen !== undefined) {
        void vscode.commands.executeCommand(chosen);
      }
    });
    return false;
  }

  /** Waits for a server that starts. */
  async #started(): Promise<void> {
    if (this.#connection.phase !== 'starting') {
      return;
    }
    const waiting = new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        listening.dispose();
      };
      const timer = setTimeout(() => {
        stop();
        reject(new ServerUnavailable('the server takes too long to start.'));
      }, START_MILLISECONDS);
      const listening = this.#connection.onDidChangePhase((phase) => {
        if (phase === 'running') {
          stop();
          resolve();
        } else if (phase !== 'starting') {
          stop();
          reject(new ServerUnavailable('the server did not start.'));
        }
      });
    });
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: 'MewCode: the prompt waits for the server' },
      () => waiting,
    );
  }
}

/** Others send prompts, too: with words, there is nothing to ask for. */
function isPrompt(given: unknown): given is PromptArguments {
  return typeof given === 'object' && given !== null && 'text' in given && typeof given.text === 'string';
}

async function isFolder(uri: vscode.Uri): Promise<boolean> {
  if (uri.scheme !== 'file') {
    return false;
  }
  const found = await vscode.workspace.fs.stat(uri).then(
    (stat) => stat,
    () => undefined,
  );
  return found !== undefined && (found.type & vscode.FileType.Directory) !== 0;
}
