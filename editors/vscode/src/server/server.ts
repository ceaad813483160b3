// The life of the server: started when the window opens, stopped with it. Everything else sees it as a `Connection`.

import * as vscode from 'vscode';
import type { Range } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { ApprovalParams, Envelope, ReviewParams, Status } from '../protocol.ts';
import { APPROVAL, EVENT, REVIEW, STATUS } from '../protocol.ts';
import { createClient } from './client.ts';
import type { Connection, Phase } from './connection.ts';
import { ServerUnavailable } from './connection.ts';

export class Server implements Connection, vscode.Disposable {
  #client: LanguageClient | undefined;
  #phase: Phase = 'stopped';
  readonly #output = vscode.window.createOutputChannel('MewCode', { log: true });
  readonly #handlers = new Map<string, (params: never) => Promise<unknown>>();
  readonly #overrides = new Map<string, (argument: unknown) => Promise<unknown>>();
  readonly #changedPhase = new vscode.EventEmitter<Phase>();
  readonly #review = new vscode.EventEmitter<ReviewParams>();
  readonly #approval = new vscode.EventEmitter<ApprovalParams>();
  readonly #event = new vscode.EventEmitter<Envelope>();
  readonly #status = new vscode.EventEmitter<Status>();

  readonly onDidChangePhase = this.#changedPhase.event;
  readonly onReview = this.#review.event;
  readonly onApproval = this.#approval.event;
  readonly onEvent = this.#event.event;
  readonly onStatus = this.#status.event;

  get phase(): Phase {
    return this.#phase;
  }

  get version(): string | undefined {
    return this.#client?.initializeResult?.serverInfo?.version;
  }

  async start(): Promise<void> {
    const command = vscode.workspace.getConfiguration('mewcode').get<string>('server.path', '') || 'mewcode';
    this.#set('starting');
    const client = createClient({ command, args: [], options: {} }, this.#output, this.#overrides);
    this.#client = client;
    for (const [method, handler] of this.#handlers) {
      client.onRequest(method, handler);
    }
    client.onNotification(REVIEW, (params: ReviewParams) => {
      this.#review.fire(params);
    });
    client.onNotification(APPROVAL, (params: ApprovalParams) => {
      this.#approval.fire(params);
    });
    client.onNotification(EVENT, (params: Envelope) => {
      this.#event.fire(params);
    });
    client.onNotification(STATUS, (params: Status) => {
      this.#status.fire(params);
    });
    await client.start();
    this.#set('running');
  }

  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#set('stopped');
    await client?.stop();
  }

  request<Result>(method: string, params: object): Promise<Result> {
    return this.#running().sendRequest<Result>(method, params);
  }

  execute<Result>(command: string, argument: object): Promise<Result> {
    return this.request('workspace/executeCommand', { command, arguments: [argument] });
  }

  notify(method: string, params: object): void {
    if (this.#phase === 'running') {
      void this.#client?.sendNotification(method, params);
    }
  }

  handle<Params>(method: string, handler: (params: Params) => Promise<unknown>): void {
    this.#handlers.set(method, handler);
  }

  override(command: string, run: (argument: unknown) => Promise<unknown>): void {
    this.#overrides.set(command, run);
  }

  toUri(uri: string): vscode.Uri {
    return vscode.Uri.parse(uri, true);
  }

  fromUri(uri: vscode.Uri): string {
    return uri.toString();
  }

  toRange(range: Range): vscode.Range {
    return new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
  }

  fromRange({ start, end }: vscode.Range): Range {
    return {
      start: { line: start.line, character: start.character },
      end: { line: end.line, character: end.character },
    };
  }

  dispose(): void {
    void this.stop();
    this.#output.dispose();
  }

  #running(): LanguageClient {
    if (this.#phase !== 'running' || !this.#client) {
      throw new ServerUnavailable('MewCode’s server does not run.');
    }
    return this.#client;
  }

  #set(phase: Phase): void {
    this.#phase = phase;
    this.#changedPhase.fire(phase);
  }
}
