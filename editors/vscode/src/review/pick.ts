// All hunks in a quick pick; the one in focus is shown in its document. Going through them decides nothing and leaves the editor
// as it was, unless one is chosen.

import * as path from 'node:path';
import * as vscode from 'vscode';
import { oneLine, withoutIcons } from '../ui/literal.ts';
import { showError } from '../ui/report.ts';
import type { Decide } from './decide.ts';
import type { Verb } from './decided.ts';
import type { Diffs } from './diff.ts';
import type { Jump } from './jump.ts';
import { whatOf } from './look.ts';
import { seenAt, type Stop } from './order.ts';
import type { Places } from './places.ts';
import { tell } from './tell.ts';

interface Item extends vscode.QuickPickItem {
  stop: Stop;
}

const ACCEPT: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('check'), tooltip: 'Accept' };
const REJECT: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('discard'), tooltip: 'Reject' };
const DIFF: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('diff'), tooltip: 'Show Diff' };

/** More of a reason is not shown. */
const LONGEST_REASON = 120;

export class Pick {
  readonly #places: Places;
  readonly #jump: Jump;
  readonly #decide: Decide;
  readonly #diffs: Diffs;

  constructor(places: Places, jump: Jump, decide: Decide, diffs: Diffs) {
    this.#places = places;
    this.#jump = jump;
    this.#decide = decide;
    this.#diffs = diffs;
  }

  open(): void {
    if (this.#places.stops().length === 0) {
      tell('no hunk waits for you');
      return;
    }
    const before = vscode.window.activeTextEditor;
    const selection = before?.selection;
    const pick = vscode.window.createQuickPick<Item>();
    pick.title = 'Hunks that wait for you';
    pick.placeholder = 'Enter goes there';
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    const active = () => pick.activeItems[0]?.stop.placed.hunk.id;
    const fill = () => {
      const id = active();
      pick.items = this.#places.stops().map(itemOf);
      const again = pick.items.find(({ stop }) => stop.placed.hunk.id === id);
      if (again) {
        pick.activeItems = [again];
      }
      if (pick.items.length === 0) {
        pick.hide();
      }
    };
    let chosen = false;
    let previewed = false;
    // One after the other: what comes last is what stays.
    let work = Promise.resolve();
    const then = (act: () => Promise<void>) => {
      work = work.then(act).catch(showError);
    };
    const listening = [
      pick,
      this.#places.onDidTell(fill),
      pick.onDidChangeActive(([item]) => {
        if (item) {
          then(async () => {
            // Only files: a diff would stay open.
            const { hunk } = item.stop.placed;
            if (!chosen && hunk.id === active() && hunk.file === undefined) {
              previewed = true;
              await this.#preview(item);
            }
          });
        }
      }),
      pick.onDidAccept(() => {
        const [item] = pick.selectedItems;
        if (item) {
          chosen = true;
          pick.hide();
          then(() => this.#jump.to(targetOf(item)));
        }
      }),
      pick.onDidTriggerItemButton(({ item, button }) => {
        const { hunk } = item.stop.placed;
        if (button === DIFF) {
          chosen = true;
          pick.hide();
          then(() => this.#diffs.show({ uri: targetOf(item).uri, hunk: hunk.id }));
        } else {
          const verb: Verb = button === ACCEPT ? 'accept' : 'reject';
          then(() => this.#decide.hunk(verb, { hunk: hunk.id }));
        }
      }),
      pick.onDidHide(() => {
        for (const one of listening) {
          one.dispose();
        }
        if (!chosen && previewed && before && selection) {
          then(async () => {
            const { document, viewColumn } = before;
            await vscode.window.showTextDocument(document, {
              selection,
              ...(viewColumn ? { viewColumn } : {}),
            });
          });
        }
      }),
    ];
    fill();
    pick.show();
  }

  async #preview(item: Item): Promise<void> {
    const { uri, placed } = targetOf(item);
    // What is no file yet is seen when it is chosen.
    const isFile = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (isFile) {
      await this.#jump.to({ uri, placed }, { preserveFocus: true, preview: true });
    }
  }
}

function targetOf({ stop }: Item): { uri: vscode.Uri; placed: Stop['placed'] } {
  return { uri: vscode.Uri.parse(stop.uri, true), placed: stop.placed };
}

function itemOf(stop: Stop): Item {
  const { hunk } = stop.placed;
  const uri = vscode.Uri.parse(stop.uri, true);
  const line = hunk.file === undefined ? `:${seenAt(stop.placed) + 1}` : '';
  return {
    stop,
    label: withoutIcons(`${path.basename(uri.path)}${line}`),
    description: withoutIcons(`${whatOf(hunk)} · ${hunk.tool}`),
    detail: withoutIcons(oneLine(hunk.reason, LONGEST_REASON) || vscode.workspace.asRelativePath(uri)),
    buttons: [ACCEPT, REJECT, DIFF],
  };
}
