// The one item in the status bar.

import * as vscode from 'vscode';
import type { Bar, Overview } from './overview.ts';
import { bar } from './overview.ts';
import type { StatusState } from './state.ts';

const BACKGROUNDS = {
  warning: 'statusBarItem.warningBackground',
  error: 'statusBarItem.errorBackground',
};

export class StatusItem implements vscode.Disposable {
  /** What it shows now, for tests. */
  shown: Bar;
  readonly #item: vscode.StatusBarItem;

  constructor(state: StatusState) {
    this.#item = vscode.window.createStatusBarItem('mewcode.status', vscode.StatusBarAlignment.Left, 10);
    this.#item.name = 'MewCode';
    this.#item.command = 'mew.menu';
    this.shown = this.#draw(state.overview);
    state.onDidChange((overview) => {
      this.shown = this.#draw(overview);
    });
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }

  #draw(overview: Overview): Bar {
    const shown = bar(overview);
    this.#item.text = shown.text;
    this.#item.tooltip = shown.tooltip;
    this.#item.accessibilityInformation = { label: shown.spoken, role: 'button' };
    this.#item.backgroundColor = shown.background
      ? new vscode.ThemeColor(BACKGROUNDS[shown.background])
      : undefined;
    return shown;
  }
}
