// The commands about runs, modes, sessions and trust, and the menu of the status bar.

import * as vscode from 'vscode';
import type { Approve } from '../approvals/approve.ts';
import type { Mode } from '../protocol.ts';
import { MODES } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import { withoutIcons } from '../ui/literal.ts';
import { notification } from '../ui/plain.ts';
import { command } from '../ui/report.ts';
import { menu } from './menu.ts';
import { MODE_WORDS } from './overview.ts';
import type { StatusState } from './state.ts';

export function statusCommands(
  connection: Connection,
  state: StatusState,
  approve: Approve,
): vscode.Disposable[] {
  return [
    command('mew.menu', () => showMenu(state)),
    command('mew.stop', (about?: { session?: string }) => stop(connection, about?.session)),
    command('mew.moveToBackground', () => moveToBackground(connection)),
    command('mew.setMode', (about?: { mode?: string }) => setMode(connection, state, about?.mode)),
    command('mew.newSession', async () => {
      await connection.execute('mewcode.newSession', {});
      void vscode.window.showInformationMessage(notification('a new session begins with the next prompt.'));
    }),
    command('mew.trust', async () => {
      const { asked } = await connection.execute<{ asked: string }>('mewcode.trustWorkspace', {});
      await approve.show(asked);
    }),
    command('mew.openWalkthrough', () => openWalkthrough(connection)),
  ];
}

/** VS Code ticks a step off when its context comes to be true, not when it is so before it knows of the walkthrough. */
async function openWalkthrough(connection: Connection): Promise<void> {
  const found = (value: boolean): Thenable<unknown> =>
    vscode.commands.executeCommand('setContext', 'mewcode.serverFound', value);
  await found(false);
  await vscode.commands.executeCommand(
    'workbench.action.openWalkthrough',
    'mewcode.mewcode#mewcode.start',
    false,
  );
  await found(connection.phase === 'running');
}

async function showMenu(state: StatusState): Promise<void> {
  const items = menu(state.overview).map(({ icon, label, description, command: id }) => ({
    label: `$(${icon}) ${label}`,
    ...(description === undefined ? {} : { description: withoutIcons(description) }),
    id,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'MewCode',
    placeHolder: state.overview.phase === 'running' ? 'What can be done now' : 'The server does not run',
  });
  if (chosen) {
    await vscode.commands.executeCommand(chosen.id);
  }
}

async function stop(connection: Connection, session: string | undefined): Promise<void> {
  const argument = session === undefined ? {} : { session };
  const { stopped } = await connection.execute<{ stopped: boolean }>('mewcode.cancel', argument);
  if (!stopped) {
    void vscode.window.showInformationMessage(notification('nothing runs.'));
  }
}

async function moveToBackground(connection: Connection): Promise<void> {
  const { commands } = await connection.execute<{ commands: string[] }>('mewcode.moveToBackground', {});
  const told =
    commands.length > 0 ? `${commands.join(', ')} goes on in the background.` : 'no run waits for a command.';
  void vscode.window.showInformationMessage(notification(told));
}

async function setMode(connection: Connection, state: StatusState, wanted?: string): Promise<void> {
  const mode = wanted === undefined ? await chooseMode(state) : MODES.find((one) => one === wanted);
  if (mode) {
    await connection.execute('mewcode.setMode', { mode });
  } else if (wanted !== undefined) {
    throw new Error(`“${wanted}” is no mode; the modes are ${MODES.join(', ')}.`);
  }
}

async function chooseMode(state: StatusState): Promise<Mode | undefined> {
  const now = state.overview.status?.mode;
  const items = MODE_WORDS.map(({ mode, title, detail }) => ({
    label: `$(${mode === 'bypass' ? 'warning' : mode === now ? 'check' : 'blank'}) ${title}`,
    description: mode === now ? `${mode}, now` : mode,
    detail,
    mode,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Mode: what the agent may do before you are asked',
    placeHolder: 'For this session',
    matchOnDescription: true,
  });
  return chosen?.mode;
}
