// The language client: which documents it tells the server of, what it says it can do, and what of the server's commands is
// done here. Knows nothing of when it is started.

import type * as vscode from 'vscode';
import type { StaticFeature } from 'vscode-languageclient';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import { FEATURES } from '../protocol.ts';

/** Files, and documents that are no files yet. Not: notebook cells, diffs, output, files of other file systems. */
export const SELECTOR = [{ scheme: 'file' }, { scheme: 'untitled' }];

export interface Launch {
  /** The binary and its arguments before `lsp`. */
  command: string;
  args: string[];
  /** `initializationOptions`. */
  options: object;
}

/** A client that is not started yet. */
export function createClient(
  launch: Launch,
  output: vscode.LogOutputChannel,
  overrides: ReadonlyMap<string, (argument: unknown) => Promise<unknown>>,
): LanguageClient {
  const client = new LanguageClient(
    'mewcode',
    'MewCode',
    { command: launch.command, args: [...launch.args, 'lsp'], transport: TransportKind.stdio },
    {
      documentSelector: SELECTOR,
      initializationOptions: launch.options,
      outputChannel: output,
      middleware: {
        executeCommand: (command, args, next): vscode.ProviderResult<unknown> => {
          const own = overrides.get(command);
          return own ? own(args[0]) : (next(command, args) as vscode.ProviderResult<unknown>);
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
  return client;
}
