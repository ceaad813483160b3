// What a person does in a window of VS Code, and what they see: keys, the palette, files, the text of the editor. Everything by
// keyboard.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Dialog, Frame, Locator, Page } from 'playwright-core';
import { until } from './until.ts';
import { KEPT } from './workbench.ts';

export { until };

/** How long a list may take to have what is looked for. */
const LIST_MILLISECONDS = 10_000;
/** More rows than a list shows at once. */
const LIST_ROWS = 30;

/** A window with a folder open in it. */
export class Window {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /** Types characters into what has the focus. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  /** The field of the palette, of a pick or of an input box. */
  get input(): Locator {
    return this.page.locator('.quick-input-widget input[type=text]');
  }

  /** The rows below it. */
  get rows(): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row');
  }

  /**
   * Opens a list by a key, writes what is looked for, goes to the row with this very label (what is before a colon and dots behind
   * may be left out), and does something. Once more when that does not come to be: a list is made when it is opened, is sorted while
   * it is shown, and closes when its window loses the focus.
   */
  async #list(key: string, words: string, label: string, act: () => Promise<void>): Promise<void> {
    const patience = { timeout: LIST_MILLISECONDS };
    const exact = new RegExp(`(^|: )${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}…?$`);
    const row = this.rows.filter({ has: this.page.locator('.label-name', { hasText: exact }) });
    for (let attempt = 0; ; attempt++) {
      await this.press(key);
      try {
        await this.input.waitFor(patience);
        await this.input.fill(words, patience);
        await row.first().waitFor(patience);
        for (let steps = 0; (await row.and(this.page.locator('.focused')).count()) === 0; steps++) {
          assert.ok(steps < LIST_ROWS, `${label} can be gone to`);
          await this.press('ArrowDown');
        }
        await act();
        return;
      } catch (error) {
        if (attempt === 5) {
          throw error;
        }
        await this.press('Escape');
      }
    }
  }

  /** Runs a command by its title. */
  async command(title: string): Promise<void> {
    await this.#list('F1', `>${title}`, title, () => this.press('Enter'));
  }

  /** Opens a file by its name. */
  async open(name: string): Promise<void> {
    const tab = this.page.locator(`.tab.active[data-resource-name="${path.basename(name)}"]`);
    await this.#list('Control+P', name, path.basename(name), async () => {
      await this.press('Enter');
      await tab.waitFor({ timeout: LIST_MILLISECONDS });
    });
    await this.page.locator('.monaco-editor .view-line').first().waitFor();
    await this.editing();
  }

  /** Waits until the text of the active group has the keys: it has them a moment after it is drawn, or what covered it is gone. */
  async editing(): Promise<void> {
    await this.page
      .locator('.editor-group-container.active .editor-instance .monaco-editor.focused')
      .first()
      .waitFor();
  }

  /** Goes to the beginning of the text, and waits until the cursor is there. */
  async toStart(): Promise<void> {
    await this.editing();
    await this.press('Control+Home');
    await this.page.locator('.statusbar', { hasText: 'Ln 1, Col 1' }).waitFor();
  }

  /** The lines of the active editor that are drawn: not those of a long text that are out of sight, nor those of a field of a block. */
  async text(): Promise<string> {
    return this.page.evaluate(() => {
      const lines = document.querySelectorAll<HTMLElement>(
        '.editor-group-container.active .editor-instance .view-lines .view-line',
      );
      return [...lines]
        .filter((line) => !line.closest('.review-widget'))
        .map((line) => ({ top: parseFloat(line.style.top), text: line.textContent.replace(/\u00a0/g, ' ') }))
        .sort((a, b) => a.top - b.top)
        .map((line) => line.text)
        .join('\n');
    });
  }

  /** Waits until the drawn lines of the active editor match. */
  async shows(pattern: RegExp): Promise<void> {
    await until(`${pattern.source} in the editor`, async () => pattern.test(await this.text()));
  }

  /** An entry of the menu of code actions. It is opened again when it does not come: whatever changes meanwhile closes it. */
  async codeAction(title: string): Promise<Locator> {
    const item = this.page.locator('.action-widget .monaco-list-row.action', { hasText: title });
    for (let attempt = 0; ; attempt++) {
      await this.press('Control+.');
      try {
        await item.waitFor({ timeout: 5000 });
        return item;
      } catch (error) {
        if (attempt === 5) {
          throw error;
        }
        // Without a menu to close, the key would take the selection back.
        if (await this.page.locator('.action-widget').isVisible()) {
          await this.press('Escape');
        }
      }
    }
  }

  /** Goes down a list to a row, by keys, and presses Enter. */
  async choose(rows: string, label: string): Promise<void> {
    const focused = this.page.locator(`${rows}.focused`);
    for (let steps = 0; !((await focused.first().textContent()) ?? '').includes(label); steps++) {
      assert.ok(steps < 30, `${label} is in the list`);
      await this.press('ArrowDown');
    }
    await this.press('Enter');
  }

  /** Writes into the field that is open, and sends it when the row for that is there. */
  async write(words: string, row: string): Promise<void> {
    await this.input.waitFor();
    await this.type(words);
    await this.rows.filter({ hasText: row }).first().waitFor();
    await this.press('Enter');
    await this.input.waitFor({ state: 'hidden' });
  }

  /** Prompts the agent by its key. */
  async prompt(words: string): Promise<void> {
    await this.serverRuns();
    await this.press('Control+Alt+M', 'p');
    await this.write(words, 'Send');
  }

  /** Goes to the next hunk by its key, and waits until the cursor is there, which it is not yet. */
  async nextHunk(line: number): Promise<void> {
    await this.editing();
    await this.press('Control+Alt+M', 'n');
    await this.page.locator('.statusbar', { hasText: `Ln ${line},` }).waitFor();
  }

  /** Waits until the item in the status bar says so. */
  async status(pattern: RegExp): Promise<void> {
    const item = this.page.locator('.statusbar-item[id*="mewcode.status"]').first();
    await until(`${pattern.source} in the status bar`, async () =>
      pattern.test((await item.textContent()) ?? ''),
    );
  }

  /** Waits until the server runs: it names its mode. Keys that come sooner say that it does not. */
  async serverRuns(): Promise<void> {
    await this.status(/default|accept_edits|plan|bypass|dont_ask/);
  }

  /** The page of the transcript. */
  async transcript(): Promise<Frame> {
    const found = await until('the transcript', async () => {
      for (const frame of this.page.frames()) {
        // A frame may go while it is looked at.
        if (
          (await frame
            .locator('main#text')
            .count()
            .catch(() => 0)) > 0
        ) {
          return frame;
        }
      }
      return undefined;
    });
    assert.ok(found);
    return found;
  }

  /** Opens the list of the lenses of the line that the cursor is on; again when it does not come, for lenses come and go. */
  async lenses(): Promise<void> {
    const lens = this.rows.filter({ hasText: 'Accept' }).first();
    for (let attempt = 0; ; attempt++) {
      await this.command('Show CodeLens Commands for Current Line');
      try {
        await lens.waitFor({ timeout: 5000 });
        return;
      } catch (error) {
        if (attempt === 5) {
          throw error;
        }
        await this.press('Escape');
      }
    }
  }

  /** Loads it again by VS Code's own command, which keeps unsaved text and views; a browser that is told to go on throws both away. */
  async reload(): Promise<void> {
    let isLoaded = false;
    this.page.once('load', () => (isLoaded = true));
    // While VS Code has not kept what was typed, the browser asks whether to stay: then the person stays, and tries again.
    let stays = 0;
    const stay = (question: Dialog): void => {
      void question.dismiss().then(() => stays++);
    };
    this.page.on('dialog', stay);
    try {
      await until('the window to be loaded again', async () => {
        const before = stays;
        await this.command('Developer: Reload Window');
        await until('the page or the question', () => isLoaded || stays > before);
        return isLoaded;
      });
    } finally {
      this.page.off('dialog', stay);
    }
    await this.page.locator('.monaco-workbench .statusbar').waitFor();
  }

  /** Keeps a picture of the window among the artefacts of the tests. */
  async screenshot(name: string): Promise<void> {
    fs.mkdirSync(KEPT, { recursive: true });
    await this.page.screenshot({ path: path.join(KEPT, `${name}.png`) });
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}
