// A person at the keyboard, for tests inside VS Code: what they see of quick picks and fields, and what they choose and write there.
// The API does not tell of a pick that is open, so those that the extension opens are seen as it opens them.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from './scene.ts';

/** Moves in the pick that is open, as the arrow keys do. */
const NEXT = 'workbench.action.quickOpenSelectNext';
/** Enter in what is open. */
const ENTER = 'workbench.action.acceptSelectedQuickOpenItem';

type Window = typeof vscode.window;

/** Without its icon. */
function wordsOf(item: vscode.QuickPickItem | undefined): string {
  return (item?.label ?? '').replace(/^\$\([\w~-]+\) /, '');
}

export class Person implements vscode.Disposable {
  readonly #before: Pick<Window, 'createQuickPick' | 'createInputBox' | 'showQuickPick' | 'showInputBox'>;
  #pick: vscode.QuickPick<vscode.QuickPickItem> | undefined;
  #field: vscode.InputBox | undefined;
  /** What is chosen in picks that the API shows as a whole, and written in such fields. */
  #ready: string[] = [];

  constructor() {
    const window = vscode.window;
    this.#before = {
      createQuickPick: window.createQuickPick,
      createInputBox: window.createInputBox,
      showQuickPick: window.showQuickPick,
      showInputBox: window.showInputBox,
    };
    const createQuickPick = <T extends vscode.QuickPickItem>(): vscode.QuickPick<T> => {
      const pick = this.#before.createQuickPick<T>();
      this.#pick = pick;
      return pick;
    };
    const createInputBox = (): vscode.InputBox => (this.#field = this.#before.createInputBox());
    const showQuickPick = async (
      items: readonly vscode.QuickPickItem[] | Thenable<readonly vscode.QuickPickItem[]>,
    ): Promise<vscode.QuickPickItem> => {
      const wanted = this.#next();
      const labels = await items;
      const item = labels.find(({ label }) => label.includes(wanted));
      assert.ok(item, `${wanted} is in ${labels.map(({ label }) => label).join(', ')}`);
      return item;
    };
    const showInputBox = (): Promise<string> => Promise.resolve(this.#next());
    Object.assign(window, { createQuickPick, createInputBox, showQuickPick, showInputBox });
  }

  /** Will choose this in the next pick, or write it into the next field, that is shown as a whole. */
  prepare(words: string): void {
    this.#ready.push(words);
  }

  /** Chooses a row of the pick that is open, by keys, after looking where the focus is. */
  async choose(wanted: (label: string) => boolean, first: (label: string) => boolean): Promise<void> {
    const pick = await until('a pick', () => this.#pick);
    const focused = await until('a focus', () => pick.activeItems[0]);
    assert.ok(first(wordsOf(focused)), `the focus is on "${focused.label}"`);
    for (let moves = 0; !wanted(wordsOf(pick.activeItems[0])); moves++) {
      assert.ok(moves < 20, `it is in ${pick.items.map(({ label }) => label).join(', ')}`);
      const before = pick.activeItems[0];
      await vscode.commands.executeCommand(NEXT);
      await until('the focus to move', () => pick.activeItems[0] !== before);
    }
    this.#pick = undefined;
    await vscode.commands.executeCommand(ENTER);
  }

  /** Writes into the field that is open, and presses Enter. */
  async write(words: string): Promise<void> {
    const field = await until('a field', () => this.#field);
    field.value = words;
    this.#field = undefined;
    await vscode.commands.executeCommand(ENTER);
  }

  /** Whatever was prepared was asked for. */
  assertDone(): void {
    assert.deepEqual(this.#ready, []);
  }

  dispose(): void {
    Object.assign(vscode.window, this.#before);
  }

  #next(): string {
    const words = this.#ready.shift();
    assert.ok(words !== undefined, 'nothing is asked that the test does not expect');
    return words;
  }
}
