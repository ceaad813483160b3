// What the user sees of the server's life and may do about it: messages with remedies, three commands, and the settings as they
// change.

import * as vscode from 'vscode';
import type { Status } from '../protocol.ts';
import { withoutIcons } from '../ui/literal.ts';
import { notification } from '../ui/plain.ts';
import { command } from '../ui/report.ts';
import type { Connection } from './connection.ts';
import type { Remedy, Server, Told } from './server.ts';
import { changesConfiguration, changesLaunch, configuration } from './settings.ts';

const REMEDIES: Record<Remedy, { title: string; command: string; argument?: string }> = {
  restart: { title: 'Restart', command: 'mew.restart' },
  log: { title: 'Show Log', command: 'mew.showLog' },
  settings: {
    title: 'Open Settings',
    command: 'workbench.action.openSettings',
    argument: 'mewcode.server',
  },
  walkthrough: { title: 'Get Started', command: 'mew.openWalkthrough' },
};

/** Shows what is told, and does what the user chooses. */
async function tell({ message, severity, remedies }: Told): Promise<void> {
  const show = severity === 'error' ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
  const titles = remedies.map((remedy) => REMEDIES[remedy].title);
  const chosen = await show(notification(message), ...titles);
  const remedy = Object.values(REMEDIES).find(({ title }) => title === chosen);
  if (remedy !== undefined) {
    await vscode.commands.executeCommand(remedy.command, remedy.argument);
  }
}

/** Puts the server under the control of the user's commands and settings. It is not started yet. */
export function control(server: Server, extension: vscode.Extension<unknown>): vscode.Disposable {
  const showPhase = (): void => {
    void vscode.commands.executeCommand('setContext', 'mewcode.phase', server.phase);
    // For the walkthrough.
    void vscode.commands.executeCommand('setContext', 'mewcode.serverFound', server.phase === 'running');
  };
  showPhase();
  return vscode.Disposable.from(
    server.onDidChangePhase(showPhase),
    server.onTold((told) => void tell(told)),
    command('mew.restart', () => server.restart()),
    command('mew.showLog', () => {
      server.output.show();
    }),
    command('mew.reloadConfiguration', async () => {
      const { mode, model } = await server.execute<Status>('mewcode.reloadConfig', {});
      const words = model === null ? `mode “${mode}”` : `mode “${mode}”, model “${withoutIcons(model)}”`;
      vscode.window.setStatusBarMessage(`MewCode: the configuration was read again: ${words}`, 5000);
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.start()),
    followConfiguration(server, extension),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (changesLaunch(change)) {
        void changeLaunch(server);
      }
    }),
  );
}

/** Tells the server of its configuration whenever the user changes it. One that starts has read the former one: it is told when it runs. */
export function followConfiguration(
  server: Pick<Connection, 'phase' | 'onDidChangePhase' | 'notify'>,
  extension: vscode.Extension<unknown>,
): vscode.Disposable {
  let isLate = false;
  const send = (): void => {
    isLate = server.phase === 'starting';
    server.notify('workspace/didChangeConfiguration', { settings: { mewcode: configuration(extension) } });
  };
  return vscode.Disposable.from(
    server.onDidChangePhase((phase) => {
      if (isLate && phase === 'running') {
        send();
      }
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (changesConfiguration(extension, change)) {
        send();
      }
    }),
  );
}

/** The server is started anew at once where that loses nothing, and else when the user wants it. */
async function changeLaunch(server: Server): Promise<void> {
  if (server.phase === 'failed' || (server.phase === 'running' && server.isUnused)) {
    await server.restart();
  } else if (server.phase === 'running') {
    const message = notification('The settings of the server have changed. They count from its next start.');
    const chosen = await vscode.window.showInformationMessage(message, REMEDIES.restart.title);
    if (chosen !== undefined) {
      await server.restart();
    }
  }
}
