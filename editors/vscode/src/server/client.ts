// The language client: which documents it tells the server of, what it says it can do, and what of the server's commands is
// done here. Knows nothing of when it is started, nor of how it ends: it restarts nothing and shows no message of its own.

import type * as vscode from 'vscode';
import type { StaticFeature } from 'vscode-languageclient';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  StreamMessageWriter,
} from 'vscode-languageclient/node';
import { FEATURES } from '../protocol.ts';
import { plainProgress } from '../ui/plain.ts';
import { decisionsFirst } from './kinds.ts';
import { showMessages } from './messages.ts';
import type { ServerProcess } from './process.ts';
import { WatchedReader, type Watch } from './reader.ts';

/** Files, and documents that are no files yet. Not: notebook cells, diffs, output, files of other file systems. */
export const SELECTOR = [{ scheme: 'file' }, { scheme: 'untitled' }];

export interface ClientOptions {
  process: ServerProcess;
  output: vscode.LogOutputChannel;
  overrides: ReadonlyMap<string, (argument: unknown) => Promise<unknown>>;
  /** Whether a file that the server wants to be shown is shown by somebody here. */
  shows: (uri: string) => boolean;
  initializationOptions: object;
  watch: Watch;
  /** The conversation cannot go on. */
  broken: (error: Error) => void;
}

/** The library tells faults by notifications of its own; here they go to the log, and the life of the server tells them. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override warn(message: string, data?: unknown): void {
    super.warn(message, data, false);
  }

  override info(message: string, data?: unknown): void {
    super.info(message, data, false);
  }
}

/** A client that is not started yet. */
export function createClient(options: ClientOptions): LanguageClient {
  const { process, overrides } = options;
  const { stdin, stdout } = process.child;
  const client = new QuietClient(
    'mewcode',
    'MewCode',
    () =>
      Promise.resolve({
        reader: new WatchedReader(stdout, options.watch),
        writer: new StreamMessageWriter(stdin),
        detached: true,
      }),
    {
      documentSelector: SELECTOR,
      initializationOptions: options.initializationOptions,
      outputChannel: options.output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (error) => {
          options.broken(error);
          return { action: ErrorAction.Continue, handled: true };
        },
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true, message: 'The server has ended.' }),
      },
      middleware: {
        // The library hands on what it was given: what its parameters say is made harmless in place.
        handleWorkDoneProgress: (token, params, next): void => {
          if (params.kind === 'begin') {
            params.title = plainProgress(params.title);
          }
          if (params.message !== undefined) {
            params.message = plainProgress(params.message);
          }
          next(token, params);
        },
        provideCodeActions: async (document, range, context, token, next) => {
          const actions = await next(document, range, context, token);
          // Who asks for a kind gets it by its name.
          return context.only === undefined && actions ? decisionsFirst(actions) : actions;
        },
        executeCommand: (command, args, next): vscode.ProviderResult<unknown> => {
          const own = overrides.get(command);
          return own ? own(args[0]) : (next(command, args) as vscode.ProviderResult<unknown>);
        },
        window: {
          showDocument: (params, token, next) =>
            options.shows(params.uri) ? { success: true } : next(params, token),
        },
      },
    },
  );
  const features: StaticFeature = {
    fillClientCapabilities: (capabilities) => {
      capabilities.experimental = { ...(capabilities.experimental as object | undefined), mewcode: FEATURES };
    },
    initialize: () => undefined,
    getState: () => ({ kind: 'static' }),
    clear: () => undefined,
  };
  client.registerFeature(features);
  showMessages(client);
  return client;
}
