// The commands about runs, modes, sessions and trust, and the menu of the status bar.

import * as vscode from 'vscode';
import type { Approve } from '../approvals/approve.ts';
import type { Mode, SessionsResult } from '../protocol.ts';
import { MODES, SESSIONS } from '../protocol.ts';
import type { Connection } from '../server/connection.ts';
import { cut, line, withoutIcons } from '../ui/literal.ts';
import { notification } from '../ui/plain.ts';
import { command } from '../ui/report.ts';
import { menu } from './menu.ts';
import { heading, MODE_WORDS } from './overview.ts';
import { runsMeant } from './runs.ts';
import type { StatusState } from './state.ts';

/** A row of a pick has no room for more. */
const LONGEST_TITLE = 80;

const NOTHING_RUNS = 'nothing runs.';

export function statusCommands(
  connection: Connection,
  state: StatusState,
  approve: Approve,
): vscode.Disposable[] {
  return [
    command('mew.menu', () => showMenu(state)),
    command('mew.stop', (about?: { session?: string }) =>
      ofRun(connection, about?.session, 'Stop which run?', (session) => stop(connection, session)),
    ),
    command('mew.moveToBackground', (about?: { session?: string }) =>
      ofRun(connection, about?.session, 'Move the command of which run?', (session) =>
        moveToBackground(connection, session),
      ),
    ),
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
  const { title, detail } = heading(state.overview);
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: detail });
  if (chosen) {
    await vscode.commands.executeCommand(chosen.id);
  }
}

/** Does it for a session: the one that is given, else the one that runs, which need not be the current one. */
async function ofRun(
  connection: Connection,
  given: string | undefined,
  which: string,
  act: (session: string) => Promise<void>,
): Promise<void> {
  const session = given ?? (await chooseRun(connection, which));
  if (session !== undefined) {
    await act(session);
  }
}

async function chooseRun(connection: Connection, which: string): Promise<string | undefined> {
  const runs = runsMeant((await connection.request<SessionsResult>(SESSIONS, {})).sessions);
  const [first, ...others] = runs;
  if (!first) {
    void vscode.window.showInformationMessage(notification(NOTHING_RUNS));
  }
  if (others.length === 0) {
    return first?.session;
  }
  const items = runs.map(({ title, mode, session }) => ({
    label: withoutIcons(cut(line(title), LONGEST_TITLE)),
    description: mode,
    session,
  }));
  return (await vscode.window.showQuickPick(items, { title: which }))?.session;
}

async function stop(connection: Connection, session: string): Promise<void> {
  const { stopped } = await connection.execute<{ stopped: boolean }>('mewcode.cancel', { session });
  if (!stopped) {
    void vscode.window.showInformationMessage(notification(NOTHING_RUNS));
  }
}

async function moveToBackground(connection: Connection, session: string): Promise<void> {
  const { commands } = await connection.execute<{ commands: string[] }>('mewcode.moveToBackground', {
    session,
  });
  const told =
    commands.length > 0
      ? `${commands.join(', ')} goes on in the background.`
      : 'the run waits for no command.';
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
    placeHolder: 'For this session and every later one',
    matchOnDescription: true,
  });
  return chosen?.mode;
}
