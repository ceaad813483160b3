// What the tests of the review share: texts, turns that change them, and what is drawn in an editor.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Turn } from '../harness/workspace.ts';
import { call, edit, read } from '../harness/turns.ts';
import { until, type Scene } from './scene.ts';

export const TEXT = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n';

/** The text with both of `twoChanges`. */
export const BOTH = 'one\nTWO\nand a half\nthree\nfour\nfive\nsix\nSEVEN\neight\n';

/** What the agent gets of a change of which nothing was accepted. */
export const REJECTED = { status: 'denied' };

export function run(command: string, argument?: unknown): Thenable<unknown> {
  return vscode.commands.executeCommand(command, argument);
}

/** Reads, then changes `two` and `seven` in one call: two hunks. */
export function twoChanges(path: string, expect: object): Turn[] {
  const edits = [
    { old_string: 'two\n', new_string: 'TWO\nand a half\n' },
    { old_string: 'seven\n', new_string: 'SEVEN\n' },
  ];
  return [read(path), call('edit_file', { path, edits }, expect)];
}

/** Reads, then changes one line. */
export function oneChange(path: string, old: string, replacement: string, expect?: object): Turn[] {
  return [read(path), edit(path, `${old}\n`, replacement, expect)];
}

export function patch(...lines: string[]): object {
  return { patch: ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n') };
}

/** What is drawn in an editor: mark, sign, first line, line behind the last. */
export function drawn(
  scene: Scene,
  editor: vscode.TextEditor,
): [string | undefined, string, number, number][] {
  return scene.parts.review.drawing
    .in(editor)
    .map(({ look }) => [look.mark, look.sign, look.first, look.last] as const)
    .map(([mark, sign, first, last]) => [mark, sign, first, last]);
}

/** The blocks between the lines of a document: label, text, and the line that they stand behind. */
export function blocks(
  scene: Scene,
  uri: vscode.Uri,
): { label: string; text: string; line: number | undefined }[] {
  return [...scene.parts.review.blocks.of(uri).values()].map(({ label, comments, range }) => ({
    label: label ?? '',
    text: comments.map(({ body }) => (typeof body === 'string' ? body : body.value)).join('\n'),
    line: range?.end.line,
  }));
}

/** Types at a place, as one change of the document. */
export async function type(
  editor: vscode.TextEditor,
  line: number,
  text: string,
  character = 0,
): Promise<void> {
  assert.ok(
    await editor.edit((edit) => {
      edit.insert(new vscode.Position(line, character), text);
    }),
  );
}

export function cursor(editor: vscode.TextEditor, line: number): void {
  editor.selection = new vscode.Selection(line, 0, line, 0);
}

export async function textBecomes(document: vscode.TextDocument, text: string): Promise<void> {
  await until(JSON.stringify(text), () => document.getText() === text).catch((error: unknown) => {
    assert.equal(document.getText(), text);
    throw error;
  });
}

/** The diff that is shown: its title and the texts of both sides. */
export async function shownDiff(): Promise<{ title: string; without: vscode.Uri; with: vscode.Uri }> {
  return until('a diff', () => {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return (
      tab?.input instanceof vscode.TabInputTextDiff && {
        title: tab.label,
        without: tab.input.original,
        with: tab.input.modified,
      }
    );
  });
}

export async function textAt(uri: vscode.Uri): Promise<string> {
  return (await vscode.workspace.openTextDocument(uri)).getText();
}

type Asking = 'showInputBox' | 'showQuickPick';

/** Answers the next question of this kind in the user's place; gives what was asked. */
export function answer(kind: Asking, reply: (asked: unknown[]) => unknown): void {
  const window = vscode.window as unknown as Record<Asking, (...asked: unknown[]) => Promise<unknown>>;
  const real = window[kind];
  window[kind] = (...asked) => {
    window[kind] = real;
    return Promise.resolve(reply(asked));
  };
}

/** Leaves nothing undecided to the next test, then ends the scene. */
export async function endReview(scene: Scene): Promise<void> {
  await vscode.commands.executeCommand('mew.rejectAll');
  await until('no hunk', () => scene.parts.hunks.all().length === 0);
  await scene.end();
}
