// What the status bar, its menu and the choice of a mode say of the server. Pure: knows no editor and no server.

import type { Mode, Status } from '../protocol.ts';
import type { Phase } from '../server/connection.ts';
import { count, line, withoutIcons } from '../ui/literal.ts';

export interface Overview {
  phase: Phase;
  /** Why it does not run, where that is known. */
  reason?: string | undefined;
  version?: string | undefined;
  status?: Status | undefined;
  /** That wait. */
  questions: number;
}

export interface Bar {
  text: string;
  tooltip: string;
  /** For a screen reader. */
  spoken: string;
  background?: 'warning' | 'error';
}

const PHASES: Record<Phase, { icon: string; words: string }> = {
  held: { icon: 'circle-slash', words: 'not started' },
  starting: { icon: 'loading~spin', words: 'starting' },
  running: { icon: 'hubot', words: 'running' },
  stopped: { icon: 'circle-slash', words: 'stopped' },
  failed: { icon: 'error', words: 'failed' },
};

const SANDBOXES: Record<Status['sandbox'], string> = {
  workspace_write: 'commands may write in the workspace only',
  read_only: 'commands may only read',
  off: 'off: commands are not confined',
  none: 'none: this system has no sandbox',
};

export function bar(overview: Overview): Bar {
  const { phase, status, questions } = overview;
  const words = phase === 'running' ? runningWords(status, questions) : [PHASES[phase].words];
  const icon =
    phase !== 'running'
      ? PHASES[phase].icon
      : questions > 0
        ? 'bell-dot'
        : (status?.running ?? 0) > 0
          ? 'loading~spin'
          : PHASES.running.icon;
  return {
    text: `$(${icon}) MewCode: ${words.map(withoutIcons).join(' · ')}`,
    tooltip: tooltip(overview),
    spoken: `MewCode: ${words.join(', ')}`,
    ...(phase === 'failed'
      ? { background: 'error' as const }
      : questions > 0
        ? { background: 'warning' as const }
        : {}),
  };
}

function runningWords(status: Status | undefined, questions: number): string[] {
  if (!status) {
    return questions > 0 ? [count(questions, 'question')] : [PHASES.running.words];
  }
  const { mode, running, pendingHunks, sandbox, trusted } = status;
  return [
    questions > 0 ? count(questions, 'question') : '',
    line(mode),
    running > 1 ? `${running} running` : running === 1 ? 'running' : '',
    pendingHunks > 0 ? count(pendingHunks, 'hunk') : '',
    sandbox === 'off' || sandbox === 'none' ? 'no sandbox' : '',
    trusted ? '' : 'not trusted',
  ].filter((word) => word !== '');
}

/** What stands over the menu, in two lines of which neither has much room: what else only the pointer would show. */
export function heading({ phase, reason, version, status }: Overview): { title: string; detail: string } {
  const named = `MewCode${version === undefined ? '' : ` ${line(version)}`}`;
  if (phase !== 'running' || !status) {
    return { title: `${named}: ${PHASES[phase].words}`, detail: line(reason ?? 'What can be done now') };
  }
  const mode = MODE_WORDS.find((one) => one.mode === status.mode)?.title ?? line(status.mode);
  const model = status.model === null ? '' : `, ${line(status.model)}`;
  return {
    title: `${named}: ${mode} · ${line(status.provider)}${model}`,
    detail: `Sandbox: ${SANDBOXES[status.sandbox]}${status.trusted ? '' : ' · Workspace not trusted'}`,
  };
}

function tooltip({ phase, reason, version, status, questions }: Overview): string {
  const said = reason === undefined ? '' : ` (${line(reason)})`;
  const named = version === undefined ? '' : ` ${line(version)}`;
  const lines = [`MewCode’s server${named}: ${PHASES[phase].words}${said}`];
  if (phase === 'running' && status) {
    const model = status.model === null ? '' : `, ${line(status.model)}`;
    lines.push(
      `Mode: ${line(status.mode)}`,
      `Runs: ${status.running}`,
      `Hunks that wait: ${status.pendingHunks}`,
      `Questions that wait: ${questions}`,
      `Sandbox: ${SANDBOXES[status.sandbox]}`,
      status.trusted
        ? 'Workspace: nothing of it is held back'
        : 'Workspace: not trusted; what its files would grant is held back',
      `Provider: ${line(status.provider)}${model}`,
    );
  }
  return [...lines, '', 'Click for what can be done now.'].join('\n');
}

/** What each mode means. The loosest is last, so that it is never chosen by a key that slipped. */
export const MODE_WORDS: readonly { mode: Mode; title: string; detail: string }[] = [
  {
    mode: 'default',
    title: 'Default',
    detail: 'An edit waits for you; a command asks unless it is proven to only read.',
  },
  {
    mode: 'accept_edits',
    title: 'Accept edits',
    detail: 'Edits are applied at once, and kept or reverted later; sandboxed commands run.',
  },
  { mode: 'plan', title: 'Plan', detail: 'Only reading.' },
  { mode: 'dont_ask', title: 'Don’t ask', detail: 'What would ask is denied.' },
  {
    mode: 'bypass',
    title: 'Bypass',
    detail: 'Commands and edits happen without you. Only files with secrets and the like ask.',
  },
];
