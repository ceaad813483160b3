// The views of transcripts: a web view each, which is told only pieces of Markdown and asks only for files to be opened. Opened
// when the user asks for it, and by nothing else.

import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import { showError } from '../ui/report.ts';
import { Chunks } from './chunks.ts';
import * as files from './files.ts';
import { parseTarget } from './links.ts';
import { type FromPage, readMessage, type PageState, type ToPage } from './messages.ts';
import type { Shown, Transcripts } from './store.ts';
import { titleOf } from './title.ts';

export const VIEW_TYPE = 'mewcode.transcript';

/** As many paths of one question are looked for. */
const MOST_FILES = 500;

export class TranscriptPanels
  implements vscode.Disposable, vscode.WebviewPanelSerializer<PageState | undefined>
{
  readonly #transcripts: Transcripts;
  readonly #extension: vscode.Uri;
  readonly #openText: (session: string) => Promise<unknown>;
  readonly #panels = new Map<string, Panel>();

  constructor(
    extension: vscode.Uri,
    transcripts: Transcripts,
    openText: (session: string) => Promise<unknown>,
  ) {
    this.#extension = extension;
    this.#transcripts = transcripts;
    this.#openText = openText;
  }

  /** Shows a session's transcript, beside the editor if it is not shown yet. */
  async open(session: string | undefined, preserveFocus: boolean): Promise<void> {
    const found = await this.#transcripts.find(session);
    const open = this.#panels.get(found);
    if (open) {
      open.panel.reveal(undefined, preserveFocus);
      return;
    }
    const panel = vscode.window.createWebviewPanel(
      VIEW_TYPE,
      'Transcript',
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus },
      this.#options(),
    );
    this.#show(panel, found, '');
  }

  /** Whether the user sees a session's transcript. */
  isVisible(session: string): boolean {
    return this.#panels.get(session)?.panel.visible ?? false;
  }

  /** What the page of a session was told. */
  pieces(session: string): readonly string[] | undefined {
    return this.#panels.get(session)?.pieces;
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: PageState | undefined): Thenable<void> {
    if (
      typeof state?.session === 'string' &&
      typeof state.text === 'string' &&
      !this.#panels.has(state.session)
    ) {
      panel.webview.options = this.#options();
      this.#show(panel, state.session, state.text);
    } else {
      panel.dispose();
    }
    return Promise.resolve();
  }

  dispose(): void {
    for (const { panel } of this.#panels.values()) {
      panel.dispose();
    }
  }

  #options(): vscode.WebviewPanelOptions & vscode.WebviewOptions {
    return {
      enableScripts: true,
      enableFindWidget: true,
      enableCommandUris: false,
      localResourceRoots: [],
    };
  }

  #show(panel: vscode.WebviewPanel, session: string, text: string): void {
    const shown = new Panel(panel, session, text, this.#transcripts, () => this.#openText(session));
    this.#panels.set(session, shown);
    panel.onDidDispose(() => {
      this.#panels.delete(session);
      shown.dispose();
    });
    const icon = (theme: string): vscode.Uri =>
      vscode.Uri.joinPath(this.#extension, `media/mewcode-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    panel.webview.html = page(this.#extension, session);
  }
}

class Panel implements vscode.Disposable {
  readonly panel: vscode.WebviewPanel;
  readonly #chunks = new Chunks();
  readonly #transcripts: Transcripts;
  readonly #session: string;
  readonly #openText: () => Promise<unknown>;
  readonly #kept: vscode.Disposable[];
  /** The page runs and hears what it is told. It begins anew whenever it was hidden. */
  #ready = false;

  constructor(
    panel: vscode.WebviewPanel,
    session: string,
    text: string,
    transcripts: Transcripts,
    openText: () => Promise<unknown>,
  ) {
    this.panel = panel;
    this.#session = session;
    this.#transcripts = transcripts;
    this.#openText = openText;
    this.#kept = [
      transcripts.hold(session, text),
      transcripts.onDidChange((shown) => {
        if (shown.session === session) {
          this.#update(shown);
        }
      }),
      panel.webview.onDidReceiveMessage((message: unknown) => {
        const read = readMessage(message);
        if (read) {
          this.#hear(read).catch(showError);
        }
      }),
      panel.onDidChangeViewState(() => {
        this.#ready &&= panel.visible;
      }),
    ];
    const shown = transcripts.get(session);
    if (shown) {
      this.#update(shown);
    }
  }

  get pieces(): readonly string[] {
    return this.#chunks.all;
  }

  dispose(): void {
    for (const one of this.#kept) {
      one.dispose();
    }
  }

  #update(shown: Shown): void {
    this.panel.title = titleOf(shown.text.slice(0, 10_000));
    const from = this.#chunks.update(shown.text, shown.unchanged);
    if (this.#ready) {
      this.#tell({ kind: 'pieces', from, pieces: this.#chunks.all.slice(from) });
      this.#tellState(shown);
    }
  }

  #tellState({ outputs, note }: Shown): void {
    this.#tell({ kind: 'state', outputs: [...outputs], note });
  }

  #tell(message: ToPage): void {
    void this.panel.webview.postMessage(message);
  }

  async #hear(message: FromPage): Promise<void> {
    switch (message.kind) {
      case 'ready': {
        this.#ready = true;
        this.#tell({ kind: 'pieces', from: 0, pieces: [...this.#chunks.all] });
        const shown = this.#transcripts.get(this.#session);
        if (shown) {
          this.#tellState(shown);
        }
        return;
      }
      case 'open': {
        const target = parseTarget(message.target);
        if (!target) {
          throw new Error('this link leads nowhere that a transcript may lead.');
        }
        return files.open(target);
      }
      case 'openText':
        await this.#openText();
        return;
      case 'askFiles': {
        const asked = message.paths.slice(0, MOST_FILES);
        const found = await Promise.all(
          asked.map(async (path) => {
            const target = parseTarget(path);
            return target?.kind === 'file' && (await files.find(target)) ? [path] : [];
          }),
        );
        this.#tell({ kind: 'files', asked, found: found.flat() });
      }
    }
  }
}

/**
 * The page without its text. Its script and style stand in it: what a web view loads comes by a request, in a browser even to the
 * name of another host. It may load nothing.
 */
function page(extension: vscode.Uri, session: string): string {
  const nonce = randomBytes(16).toString('base64');
  const own = (file: string): string =>
    fs.readFileSync(vscode.Uri.joinPath(extension, 'dist', file).fsPath, 'utf8');
  const script = own('transcript.js').replace(/<\/(?=script)|<(?=!--)/gi, (mark) =>
    mark === '<' ? '\\x3c' : '<\\/',
  );
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const name = session.replace(/[^\w-]/g, '');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style nonce="${nonce}">${own('transcript.css')}</style>
<title>Transcript</title>
</head>
<body data-session="${name}">
<main id="text" role="log" aria-live="off" aria-label="Transcript" tabindex="-1"></main>
<pre id="outputs" hidden></pre>
<p id="note" role="status"></p>
<button id="end" type="button" hidden>Go to the end</button>
<script nonce="${nonce}">${script}</script>
</body>
</html>`;
}
