// The settings of the user, as the server takes them: where it is, and its configuration. What a workspace's own settings say is
// never read: a repository must grant itself nothing.

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { nested } from './chosen.ts';
import { locate, NotFound } from './locate.ts';
import type { Launch } from './server.ts';

/** The section of the settings in package.json whose keys are those of the server's configuration. */
const CONFIGURATION = 'mewcode.configuration';

interface Section {
  id?: string;
  properties: Record<string, unknown>;
}

interface Manifest {
  contributes: { configuration: Section[] };
}

/** The keys of the server's configuration, dotted, without `mewcode.`. */
function keys(extension: vscode.Extension<unknown>): string[] {
  const { contributes } = extension.packageJSON as Manifest;
  const section = contributes.configuration.find(({ id }) => id === CONFIGURATION);
  return Object.keys(section?.properties ?? {}).map((key) => key.replace(/^mewcode\./, ''));
}

/** The value that the user set for the machine that the server runs on. */
function chosen(key: string): unknown {
  return vscode.workspace.getConfiguration('mewcode').inspect(key)?.globalValue;
}

/** What the user set of the server's configuration, as its `initializationOptions`. */
export function configuration(extension: vscode.Extension<unknown>): Record<string, unknown> {
  return nested(keys(extension).map((key) => [key, chosen(key)] as const));
}

/** Whether a change of the settings concerns the server's configuration. */
export function changesConfiguration(
  extension: vscode.Extension<unknown>,
  change: vscode.ConfigurationChangeEvent,
): boolean {
  return keys(extension).some((key) => change.affectsConfiguration(`mewcode.${key}`));
}

/** Whether it concerns what is started. */
export function changesLaunch(change: vscode.ConfigurationChangeEvent): boolean {
  return (
    change.affectsConfiguration('mewcode.server.path') ||
    change.affectsConfiguration('mewcode.server.arguments')
  );
}

function canRun(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    // Whatever the reason is, it cannot be run.
    return false;
  }
}

/** How long settings may come after the window: those of a remote machine do. */
const LATE_MILLISECONDS = 3000;

/** What is to be started. At the first try settings that are late are waited for where nothing is found without them. */
export function launcher(context: vscode.ExtensionContext): () => Promise<Launch> {
  let isFirst = true;
  return async () => {
    try {
      return launch(context);
    } catch (error) {
      if (!(error instanceof NotFound) || !isFirst) {
        throw error;
      }
      isFirst = false;
      await lateSettings();
      return launch(context);
    }
  };
}

function lateSettings(): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      listening.dispose();
      resolve();
    };
    const timer = setTimeout(end, LATE_MILLISECONDS);
    const listening = vscode.workspace.onDidChangeConfiguration((change) => {
      if (changesLaunch(change)) {
        end();
      }
    });
  });
}

/** What is to be started, by the settings and what is installed. */
function launch(context: vscode.ExtensionContext): Launch {
  const setting = chosen('server.path');
  const { command } = locate({
    setting: typeof setting === 'string' ? setting : '',
    searchPath: process.env['PATH'] ?? '',
    home: os.homedir(),
    windows: process.platform === 'win32',
    extension: context.extensionPath,
    canRun,
  });
  const args = chosen('server.arguments');
  return {
    command,
    args: Array.isArray(args) ? args.map(String) : [],
    cwd: folder(context),
    options: configuration(context.extension),
  };
}

/**
 * The first folder of the window. A window without a folder gets an empty one of the extension's own: the server takes the folder
 * that it is started in for the workspace, and that must not be the home folder. Single files are edited from there with a question.
 */
function folder(context: vscode.ExtensionContext): string {
  const [first] = vscode.workspace.workspaceFolders?.filter(({ uri }) => uri.scheme === 'file') ?? [];
  if (first !== undefined && fs.existsSync(first.uri.fsPath)) {
    return first.uri.fsPath;
  }
  const empty = path.join(context.globalStorageUri.fsPath, 'no-folder');
  fs.mkdirSync(empty, { recursive: true });
  return empty;
}
