// Showing one question with its answers, opened by the user and never by itself. A key answers the question that is shown and
// no other: when that one is gone the pick stays, says so, and no row of it answers anything.

import * as vscode from 'vscode';
import type { Approval } from '../protocol.ts';
import { cut, line, withoutIcons } from '../ui/literal.ts';
import { notification } from '../ui/plain.ts';
import { showError } from '../ui/report.ts';
import type { QuestionDocuments } from './document.ts';
import { Drafts } from './drafts.ts';
import type { Choice, Row } from './page.ts';
import { page, summary } from './page.ts';
import type { Questions } from './questions.ts';
import { askWord } from './word.ts';

const GONE = 'This question was answered elsewhere, or is no longer asked.';
const LONGEST_TITLE = 80;

type Chosen = Choice | { kind: 'close' } | { kind: 'next' } | { kind: 'again' };
type Item = vscode.QuickPickItem & { chosen?: Chosen };

/** What the pick shows now, for tests. */
export interface Shown {
  /** Of the question; undefined for the list of them. */
  id: string | undefined;
  gone: boolean;
  whole: boolean;
  labels: string[];
  active: string | undefined;
}

export class Approve implements vscode.Disposable {
  readonly #questions: Questions;
  readonly #documents: QuestionDocuments;
  readonly #drafts: Drafts;
  #look: (() => Shown) | undefined;

  constructor(questions: Questions, documents: QuestionDocuments) {
    this.#questions = questions;
    this.#documents = documents;
    this.#drafts = new Drafts(questions);
  }

  dispose(): void {
    this.#drafts.dispose();
  }

  get shown(): Shown | undefined {
    return this.#look?.();
  }

  /** Shows a question; without its id the one that waits, or the list of those that do. */
  async show(id?: string): Promise<void> {
    const questions = this.#questions;
    if (id === undefined ? questions.waiting.length === 0 : !questions.find(id)) {
      // One that this window has not heard of would wait for ever.
      await questions.fetch();
    }
    const [first, second] = questions.waiting;
    const wanted = id === undefined ? first : questions.find(id);
    if (!wanted) {
      void vscode.window.showInformationMessage(
        notification(
          id === undefined ? 'no question waits for you.' : 'this question does not wait any more.',
        ),
      );
    } else if (id === undefined && second) {
      await this.#pickOne();
    } else {
      await this.#ask(wanted);
    }
  }

  /** Lets tests look at a pick until it is closed. */
  #watch(look: () => Shown): () => void {
    this.#look = look;
    return () => {
      if (this.#look === look) {
        this.#look = undefined;
      }
    };
  }

  /** Gives an answer that was chosen elsewhere: in the tree. A refusal can be explained first. */
  async answer(id: string, answer: string, word: boolean): Promise<void> {
    const approval = this.#questions.find(id);
    if (word && approval) {
      await this.#refuse(approval, answer);
    } else {
      await this.#questions.answer(id, answer);
    }
  }

  /** The list of those that wait, which follows them while it is open. */
  async #pickOne(): Promise<void> {
    const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { id: string }>();
    pick.placeholder = 'Choose a question to see it and to answer it';
    const draw = (): void => {
      const waiting = this.#questions.waiting;
      pick.title =
        waiting.length === 1 ? '1 question waits for you' : `${waiting.length} questions wait for you`;
      pick.items = waiting.map((approval) => ({
        label: withoutIcons(cut(summary(approval), LONGEST_TITLE)),
        ...(approval.tool === undefined ? {} : { description: withoutIcons(line(approval.tool)) }),
        id: approval.id,
      }));
    };
    draw();
    const forget = this.#watch(() => ({
      id: undefined,
      gone: false,
      whole: true,
      labels: pick.items.map((item) => item.label),
      active: pick.activeItems[0]?.label,
    }));
    const chosen = await new Promise<string | undefined>((resolve) => {
      const listening = [
        this.#questions.onDidChange(draw),
        pick.onDidAccept(() => {
          resolve(pick.selectedItems[0]?.id);
        }),
        pick.onDidHide(() => {
          resolve(undefined);
          forget();
          for (const one of [...listening, pick]) {
            one.dispose();
          }
        }),
      ];
      pick.show();
    });
    pick.hide();
    if (chosen !== undefined) {
      await this.show(chosen);
    }
  }

  /** Shows a question until it is answered or closed. */
  async #ask(approval: Approval): Promise<void> {
    const { id } = approval;
    const pick = vscode.window.createQuickPick<Item>();
    let gone = false;
    let sending = false;
    let shown = page(approval);
    const draw = (): void => {
      pick.items = shown.rows.flatMap(itemsOf);
      const focus = pick.items.filter((item) => item.chosen)[shown.focus];
      pick.activeItems = focus ? [focus] : [];
    };
    const take = (typed: string): void => {
      this.#drafts.keep(id, 'answer', typed);
      shown = page(approval, typed);
      draw();
    };
    const count = (): string => {
      const waiting = this.#questions.waiting;
      const place = waiting.findIndex((one) => one.id === id) + 1;
      return waiting.length > 1 && place > 0
        ? `MewCode asks (${place} of ${waiting.length})`
        : 'MewCode asks';
    };
    pick.title = count();
    pick.placeholder =
      approval.kind === 'choice'
        ? 'Choose an answer, or type one; closing this leaves the question open'
        : 'Choose an answer; closing this leaves the question open';
    draw();
    const forget = this.#watch(() => ({
      id,
      gone,
      whole: shown.whole,
      labels: pick.items.filter((item) => item.chosen).map((item) => item.label),
      active: pick.activeItems[0]?.label,
    }));
    const next = await new Promise<Chosen | undefined>((resolve) => {
      let over = false;
      const end = (chosen?: Chosen): void => {
        over = true;
        resolve(chosen);
      };
      const listening = [
        this.#questions.onDidChange(() => {
          if (!this.#questions.find(id) && !sending) {
            gone = true;
            pick.title = GONE;
            pick.placeholder = GONE;
            pick.items = goneItems(this.#questions.waiting.length);
          } else if (!gone) {
            pick.title = count();
          }
        }),
        pick.onDidChangeValue((typed) => {
          if (gone || sending || over) {
            return;
          }
          if (approval.kind === 'choice') {
            take(typed);
          } else {
            // VS Code moves the focus to what matches. Words that were meant for something else allow nothing: this pick
            // answers no more, and another one takes its place.
            end({ kind: 'again' });
          }
        }),
        pick.onDidAccept(() => {
          const chosen = pick.selectedItems[0]?.chosen;
          const typed = pick.value.trim();
          if (over || sending) {
            return;
          }
          if (typed !== '' && !gone) {
            end({ kind: 'words', text: typed });
          } else if (chosen?.kind === 'answer' && !chosen.word && !gone) {
            sending = true;
            pick.enabled = false;
            void this.#send(id, chosen.answer).finally(() => {
              end();
            });
          } else if (chosen && (!gone || chosen.kind === 'close' || chosen.kind === 'next')) {
            // A key that came before VS Code had drawn that the question has gone chose a row that is there no more.
            end(chosen);
          }
        }),
        pick.onDidHide(() => {
          end();
          forget();
          for (const one of [...listening, pick]) {
            one.dispose();
          }
        }),
      ];
      if (!shown.whole) {
        // Nobody is to allow what they have not seen: the rest of it stands behind the pick.
        this.#documents.show(id, true).catch(showError);
      }
      pick.show();
      const draft = this.#drafts.of(id, 'answer');
      if (draft !== '') {
        // Not before: what a pick shows at first is selected, and the first key would replace it.
        pick.value = draft;
        take(draft);
      }
    });
    if (next?.kind !== 'again') {
      pick.hide();
    }
    if (next) {
      await this.#go(approval, next);
    }
  }

  async #go(approval: Approval, chosen: Chosen): Promise<void> {
    switch (chosen.kind) {
      case 'close':
        return;
      case 'next':
        return this.show();
      case 'again':
        return this.#ask(approval);
      case 'information':
      case 'everything':
        return this.#documents.show(approval.id, false);
      case 'answer':
        return this.#refuse(approval, chosen.answer);
      case 'words':
        return chosen.text === '' ? this.#inOwnWords(approval) : this.#send(approval.id, chosen.text);
    }
  }

  /** Refuses with a word to the model, or without one. Closing the field leaves the question open. */
  async #refuse(approval: Approval, answer: string): Promise<void> {
    const word = await askWord(this.#questions, approval.id, {
      title: `Deny: ${cut(summary(approval), LONGEST_TITLE)}`,
      prompt: 'A word to the model, if you like. Cancelling leaves the question open.',
      placeholder: 'Why not, or what to do instead',
      required: false,
      ...this.#kept(approval.id, 'refusal'),
    });
    if (word !== undefined) {
      await this.#send(approval.id, answer, word === '' ? undefined : word);
    }
  }

  async #inOwnWords(approval: Approval): Promise<void> {
    const words = await askWord(this.#questions, approval.id, {
      title: `Answer: ${cut(summary(approval), LONGEST_TITLE)}`,
      prompt: 'Cancelling leaves the question open.',
      placeholder: 'Your answer',
      required: true,
      ...this.#kept(approval.id, 'answer'),
    });
    if (words !== undefined) {
      await this.#send(approval.id, words);
    }
  }

  #kept(id: string, purpose: 'answer' | 'refusal'): { text: string; typed: (text: string) => void } {
    return {
      text: this.#drafts.of(id, purpose),
      typed: (text) => {
        this.#drafts.keep(id, purpose, text);
      },
    };
  }

  /** What the server says against it is told: somebody else may have been quicker. */
  async #send(id: string, answer: string, feedback?: string): Promise<void> {
    try {
      await this.#questions.answer(id, answer, feedback);
    } catch (error) {
      showError(error);
    }
  }
}

function itemsOf(row: Row): Item[] {
  const { label, detail, choice, heading } = row;
  // All rows stay, whatever is typed.
  const item = { label, ...(detail === undefined ? {} : { detail }), alwaysShow: true, chosen: choice };
  return heading === undefined
    ? [item]
    : [{ label: heading, kind: vscode.QuickPickItemKind.Separator }, item];
}

/** Instead of a question that has gone while it was looked at: a key that was on its way answers nothing. */
function goneItems(waiting: number): Item[] {
  const close: Item = { label: '$(close) Close', alwaysShow: true, chosen: { kind: 'close' } };
  const next: Item = {
    label:
      waiting === 1
        ? '$(question) Show the question that waits'
        : `$(question) Show the ${waiting} questions that wait`,
    alwaysShow: true,
    chosen: { kind: 'next' },
  };
  return waiting === 0 ? [close] : [close, next];
}
