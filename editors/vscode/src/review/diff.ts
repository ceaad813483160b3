// A document without and with the agent's changes, side by side: two read-only documents that follow the hunks while they are
// shown. Closing them decides nothing. What was of a file that is gone or has moved is not in any document: the server tells it.

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { ReviewArguments } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import { format, parse, SCHEME, type Subject } from '../text/address.ts';
import { documentAt } from '../text/documents.ts';
import { showError } from '../ui/report.ts';
import { sizeOf } from './look.ts';
import { hunkAt, type Placed } from './order.ts';
import type { Places } from './places.ts';
import { sidesOf, type Sides } from './sides.ts';
import { textsOf, type Texts } from './unified.ts';

/** The server's own time for it is shorter. */
const PATIENCE_MILLISECONDS = 15_000;

export class Diffs implements vscode.Disposable, vscode.TextDocumentContentProvider {
  readonly #places: Places;
  readonly #connection: Connection;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #listening: vscode.Disposable;
  /** What the server told of hunks about whole files. */
  readonly #told = new Map<string, Texts>();
  /** The diff that the server was asked for; `isShown`: as the file that it is. */
  #awaited: { isShown: boolean; tell: (file: vscode.Uri) => void } | undefined;
  /** One is asked for at a time, for an answer does not say what it is about. */
  #asking: Promise<unknown> = Promise.resolve();

  readonly onDidChange = this.#changed.event;

  constructor(places: Places, connection: Connection) {
    this.#places = places;
    this.#connection = connection;
    connection.override('mewcode.review.showDiff', async (argument) => {
      try {
        await this.#asked(argument as ReviewArguments);
      } catch (error) {
        showError(error);
      }
    });
    connection.present((uri) => this.#take(uri));
    this.#listening = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      places.onDidTell((uri) => {
        for (const hunk of this.#told.keys()) {
          if (!places.find(hunk)) {
            this.#told.delete(hunk);
          }
        }
        this.#refresh(uri);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.uri.scheme !== SCHEME && contentChanges.length > 0) {
          this.#refresh(document.uri);
        }
      }),
      this.#changed,
    );
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { which, ...subject } = parse(uri);
    const told = subject.hunk === undefined ? undefined : this.#told.get(subject.hunk);
    return told?.[which] ?? (await this.#sides(subject))[which].text;
  }

  /** Shows the diff of a hunk, or of all in its document. */
  async show(subject: Subject, options: vscode.TextDocumentShowOptions = {}): Promise<void> {
    const chosen = this.#chosen(subject);
    const [first] = chosen;
    if (!first) {
      throw new Error(`there is nothing undecided in ${path.basename(subject.uri.path)} to show.`);
    }
    const { hunk } = first;
    let shown = subject;
    if (hunk.file !== undefined && !(hunk.file === 'remove' && hunk.review === 'before')) {
      shown = { uri: subject.uri, hunk: hunk.id };
      this.#told.set(hunk.id, textsOf(await this.#ask({ hunk: hunk.id })));
    }
    await vscode.commands.executeCommand(
      'vscode.diff',
      format({ ...shown, which: 'without' }),
      format({ ...shown, which: 'with' }),
      titleOf(shown, chosen),
      options,
    );
  }

  /** What the diff is of that this document is a side of. */
  subjectOf(uri: vscode.Uri): Subject | undefined {
    if (uri.scheme !== SCHEME) {
      return undefined;
    }
    const { uri: of, hunk } = parse(uri);
    return { uri: of, hunk };
  }

  /** The hunk at a line of a diff's side. */
  async hunkAt(uri: vscode.Uri, line: number): Promise<Placed | undefined> {
    const { which, ...subject } = parse(uri);
    const chosen = this.#chosen(subject);
    if (subject.hunk !== undefined) {
      return chosen[0];
    }
    const { places } = (await this.#sides(subject))[which];
    return hunkAt(
      chosen.flatMap((placed) => {
        const lines = places.get(placed.hunk.id);
        return lines ? [{ ...placed, ...lines }] : [];
      }),
      line,
    );
  }

  /** Nothing of it is undecided any more. */
  isDecided(subject: Subject): boolean {
    return this.#chosen(subject).length === 0;
  }

  /** Closes the diff of this subject. */
  async close(subject: Subject): Promise<void> {
    const shown = format({ ...subject, which: 'with' }).toString();
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(
      tabs.filter(
        ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === shown,
      ),
    );
  }

  dispose(): void {
    this.#listening.dispose();
  }

  async #asked(argument: ReviewArguments): Promise<void> {
    if ('hunk' in argument) {
      const found = this.#places.find(argument.hunk);
      if (!found) {
        throw new Error('this hunk was decided meanwhile.');
      }
      await this.show({ uri: found.uri, hunk: argument.hunk });
    } else if ('uri' in argument) {
      await this.show({ uri: this.#connection.toUri(argument.uri), hunk: undefined });
    } else {
      await this.#ask(argument);
    }
  }

  /** The diff as the server writes it: into a file that it then wants to be shown. That of all documents is shown so. */
  #ask(argument: ReviewArguments): Promise<string> {
    const asked = this.#asking.then(async () => {
      let timer: NodeJS.Timeout | undefined;
      const told = new Promise<vscode.Uri>((resolve, reject) => {
        this.#awaited = { isShown: 'all' in argument, tell: resolve };
        timer = setTimeout(() => {
          reject(new Error('the server did not tell the diff.'));
        }, PATIENCE_MILLISECONDS);
      });
      try {
        const [file] = await Promise.all([
          told,
          this.#connection.execute('mewcode.review.showDiff', argument),
        ]);
        return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
      } finally {
        clearTimeout(timer);
        this.#awaited = undefined;
      }
    });
    this.#asking = asked.catch(() => undefined);
    return asked;
  }

  /** Whether a file that the server wants to be shown is shown here, side by side. */
  #take(file: vscode.Uri): boolean {
    const awaited = file.path.endsWith('.diff') ? this.#awaited : undefined;
    this.#awaited = awaited ? undefined : this.#awaited;
    awaited?.tell(file);
    return awaited?.isShown === false;
  }

  #chosen({ uri, hunk }: Subject): readonly Placed[] {
    const placed = this.#places.of(uri);
    return hunk === undefined ? placed : placed.filter((one) => one.hunk.id === hunk);
  }

  async #sides(subject: Subject): Promise<Sides> {
    return sidesOf(await textOf(subject.uri), this.#chosen(subject));
  }

  #refresh(uri: vscode.Uri): void {
    for (const document of vscode.workspace.textDocuments) {
      if (this.subjectOf(document.uri)?.uri.toString() === uri.toString()) {
        this.#changed.fire(document.uri);
      }
    }
  }
}

function titleOf({ uri, hunk }: Subject, [first, ...others]: readonly Placed[]): string {
  const name = path.basename(uri.path);
  if (!first) {
    return name;
  }
  if (hunk === undefined && others.length > 0) {
    return `${name}: without ↔ with MewCode’s changes`;
  }
  const { state, file, title } = first.hunk;
  if (file !== undefined) {
    return `${name}: ${title ?? ''}`;
  }
  const size = sizeOf(first.hunk);
  switch (state) {
    case 'proposed':
      return `${name}: as it is ↔ as MewCode would have it (${size})`;
    case 'conflicted':
      return `${name}: yours ↔ MewCode’s (${size})`;
    case 'applied':
      return `${name}: before ↔ after MewCode (${size})`;
  }
}

/** The text of a document, or of its file while nobody has it open; nothing if there is none. */
async function textOf(uri: vscode.Uri): Promise<string> {
  const open = documentAt(uri);
  if (open) {
    return open.getText();
  }
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') {
      return '';
    }
    throw error;
  }
}
