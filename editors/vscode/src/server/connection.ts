// What the parts of the extension may ask of the server, whether it runs or not. Knows nothing of its life.

import type * as vscode from 'vscode';
import type { Range } from 'vscode-languageclient';
import type { ApprovalParams, Envelope, ReviewParams, Status } from '../protocol.ts';

/**
 * What the server does. `held`: it is not started, for it may not be. `starting`: for the first time, or again after it ended by
 * itself. `failed`: it is not started again before the user does something.
 */
export type Phase = 'held' | 'starting' | 'running' | 'stopped' | 'failed';

/** Something cannot be asked of the server. The message is for the user. */
export class ServerUnavailable extends Error {}

/** The server of this window. There is one, and it may come and go. */
export interface Connection {
  readonly phase: Phase;
  readonly onDidChangePhase: vscode.Event<Phase>;
  /** Why it does not run, a sentence for the user. None while it runs, and where the phase says all. */
  readonly reason: string | undefined;
  /** The version that the server names; undefined before it ran. */
  readonly version: string | undefined;

  /** Rejects with `ServerUnavailable` while it does not run, and with the server's own words when it refuses. */
  request<Result>(method: string, params: object): Promise<Result>;
  /** `workspace/executeCommand` with one argument. Rejects as `request` does. */
  execute<Result>(command: string, argument: object): Promise<Result>;
  /** Says nothing while the server does not run. */
  notify(method: string, params: object): void;

  /** Answers a request of the server. To be called before the server is started. */
  handle<Params>(method: string, handler: (params: Params) => Promise<unknown>): void;
  /** Carries out a command of the server here instead of asking the server for it: those of its code actions and lenses. */
  override(command: string, run: (argument: unknown) => Promise<unknown>): void;
  /** Asks this one first to show a file that the server wants to be shown. It says whether it has done so. */
  present(shows: (uri: vscode.Uri) => boolean): void;

  readonly onReview: vscode.Event<ReviewParams>;
  readonly onApproval: vscode.Event<ApprovalParams>;
  readonly onEvent: vscode.Event<Envelope>;
  readonly onStatus: vscode.Event<Status>;

  /** A URI as the editor has it. */
  toUri(uri: string): vscode.Uri;
  /** A URI as the protocol spells it. */
  fromUri(uri: vscode.Uri): string;
  toRange(range: Range): vscode.Range;
  fromRange(range: vscode.Range): Range;
}
