// What can be done now, as rows of a menu: what waits for the user first. Pure.

import { count, line } from '../ui/literal.ts';
import type { Overview } from './overview.ts';
import { MODE_WORDS } from './overview.ts';

export interface Entry {
  icon: string;
  label: string;
  description?: string;
  command: string;
}

export function menu({ phase, status, questions }: Overview): Entry[] {
  const entries: (Entry | false)[] = [];
  if (phase === 'running') {
    const hunks = status?.pendingHunks ?? 0;
    const isBusy = (status?.running ?? 0) > 0;
    const mode = MODE_WORDS.find((one) => one.mode === status?.mode)?.title ?? line(status?.mode ?? '');
    entries.push(
      questions > 0 && {
        icon: 'bell-dot',
        label: questions === 1 ? 'Answer the Question…' : 'Answer a Question…',
        description: `${count(questions, 'question')} ${questions === 1 ? 'waits' : 'wait'} for you`,
        command: 'mew.approve',
      },
      hunks > 0 && {
        icon: 'diff',
        label: 'Review Hunks…',
        description: `${count(hunks, 'hunk')} ${hunks === 1 ? 'waits' : 'wait'} for you`,
        command: 'mew.review',
      },
      isBusy && { icon: 'debug-stop', label: 'Stop the Run', command: 'mew.stop' },
      isBusy && {
        icon: 'run-all',
        label: 'Move the Command to the Background',
        description: 'The agent goes on without waiting for it',
        command: 'mew.moveToBackground',
      },
      { icon: 'comment', label: 'Prompt…', command: 'mew.prompt' },
      { icon: 'output', label: 'Open the Transcript', command: 'mew.openTranscript' },
      { icon: 'settings', label: 'Set the Mode…', description: mode, command: 'mew.setMode' },
      { icon: 'add', label: 'New Session', command: 'mew.newSession' },
      status?.trusted === false && {
        icon: 'shield',
        label: 'Trust This Workspace…',
        description: 'What its files would grant is held back',
        command: 'mew.trust',
      },
      { icon: 'gear', label: 'Reload the Configuration', command: 'mew.reloadConfiguration' },
    );
  }
  entries.push(
    {
      icon: 'refresh',
      label: phase === 'running' || phase === 'starting' ? 'Restart the Server' : 'Start the Server',
      command: 'mew.restart',
    },
    { icon: 'list-unordered', label: 'Show the Server’s Log', command: 'mew.showLog' },
    { icon: 'book', label: 'Get Started', command: 'mew.openWalkthrough' },
  );
  return entries.filter((entry) => entry !== false);
}
