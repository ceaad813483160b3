// The commands about questions.

import type * as vscode from 'vscode';
import type { Connection } from '../server/connection.ts';
import { command } from '../ui/report.ts';
import type { Approve } from './approve.ts';
import type { QuestionDocuments } from './document.ts';

/** A question, as a command gets it from a row of the tree, a notification, or the server. */
interface About {
  id?: string;
}

export function questionCommands(
  connection: Connection,
  approve: Approve,
  documents: QuestionDocuments,
): vscode.Disposable[] {
  connection.override('mewcode.approval.show', async (about) => {
    const id = (about as About | undefined)?.id;
    if (id !== undefined) {
      await documents.show(id, false);
    }
  });
  const answerRow =
    (answer: string, word: boolean) =>
    async (about?: About): Promise<void> => {
      if (about?.id !== undefined) {
        await approve.answer(about.id, answer, word);
      }
    };
  return [
    command('mew.approve', (about?: About) => approve.show(about?.id)),
    command('mew.answer', (about: { id: string; answer: string; word: boolean }) =>
      approve.answer(about.id, about.answer, about.word),
    ),
    command('mew.denyQuestion', answerRow('deny', true)),
    command('mew.allowQuestion', answerRow('once', false)),
    command('mew.showQuestion', async (about?: About) => {
      if (about?.id !== undefined) {
        await documents.show(about.id, false);
      }
    }),
  ];
}
