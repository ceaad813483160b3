// Plays a scenario of tests/e2e/editors in this VS Code: each step by what a person has for it, a command, keys or the pick of a
// question. What the steps mean is told in tests/e2e/editors/README.md.

import * as assert from 'node:assert/strict';
import * as crypto from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { kill, pid } from 'node:process';
import * as vscode from 'vscode';
import type { Mode, SessionEvent } from '../../src/protocol.ts';
import type { Answer, Decision, Scenario, State, Step, Text, Typing } from '../harness/scenario.ts';
import { writtenOut } from '../harness/scenario.ts';
import { Person } from './person.ts';
import { Scene, inside, until } from './scene.ts';
import { settings } from './scenario-settings.ts';

const { executeCommand } = vscode.commands;

/** How the review commands call the sides of a conflict. */
const SIDES = { mine: 'mine', agent: 'MewCode', both: 'both' };

/** By its definition. */
function logical(document: vscode.TextDocument): string {
  const text = document.getText().replaceAll('\r\n', '\n');
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Decides on the hunks that the scenario before left, and takes its files away. Those of the workbench and of the model stay. */
async function clear(): Promise<void> {
  const { hunks, server } = await inside();
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder);
  await until('the server', () => server.phase === 'running');
  if (hunks.all().length > 0) {
    await server.execute('mewcode.review.accept', { all: true });
    await until('no hunk', () => hunks.all().length === 0);
  }
  await executeCommand('workbench.action.closeAllEditors');
  for (const name of fs.readdirSync(folder.uri.fsPath)) {
    if (!name.startsWith('.') && name !== 'turns.yaml') {
      fs.rmSync(path.join(folder.uri.fsPath, name), { recursive: true });
    }
  }
}

export class Player {
  readonly #scene: Scene;
  readonly #person = new Person();
  /** How many events there were when the last prompt was sent. */
  #beforePrompt = 0;

  private constructor(scene: Scene) {
    this.#scene = scene;
  }

  static async play(scenario: Scenario): Promise<void> {
    const files = Object.entries(scenario.files).map(
      ([file, text]) => [file, writtenOut(text ?? '')] as const,
    );
    await clear();
    const scene = await Scene.begin(
      Object.fromEntries(files),
      scenario.turns,
      (scenario.mode ?? 'default') as Mode,
    );
    const player = new Player(scene);
    await player.#readAgain(Object.keys(scenario.files));
    const undo = await settings(scenario.settings ?? {});
    try {
      await player.#steps(scenario.steps, 'step');
    } finally {
      await undo();
      await scene.end();
      player.#person.dispose();
    }
    player.#person.assertDone();
  }

  /** VS Code keeps documents for a while after their tabs were closed: those of an earlier scenario have its text. */
  async #readAgain(files: readonly string[]): Promise<void> {
    const wanted = new Set(files.map((file) => this.#scene.uri(file).toString()));
    for (const document of vscode.workspace.textDocuments.filter(({ uri }) => wanted.has(uri.toString()))) {
      await vscode.window.showTextDocument(document);
      await executeCommand('workbench.action.files.revert');
    }
    await executeCommand('workbench.action.closeAllEditors');
  }

  async #steps(steps: readonly Step[], place: string): Promise<void> {
    for (const [index, step] of steps.entries()) {
      const here = `${place}[${index + 1}] ${Object.keys(step).join()}`;
      if (step.only) {
        if (step.only.editor === 'vscode') {
          await this.#steps(step.only.steps, here);
        }
        continue;
      }
      try {
        await this.#step(step);
      } catch (error) {
        throw new Error(`${here}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      }
    }
  }

  async #step(step: Step): Promise<void> {
    if (step.open !== undefined) {
      // Opened to stay: the next file takes the place of one that is shown as a preview.
      const document = await vscode.workspace.openTextDocument(this.#scene.uri(step.open));
      await vscode.window.showTextDocument(document, { preview: false });
    } else if (step.type) {
      await this.#type(step.type);
    } else if (step.prompt !== undefined) {
      this.#beforePrompt = this.#scene.events.length;
      await executeCommand('mew.prompt', { text: step.prompt });
    } else if (step.accept) {
      await this.#decide('accept', step.accept);
    } else if (step.reject) {
      await this.#decide('reject', step.reject);
    } else if (step.answer) {
      await this.#answer(step.answer);
    } else if (step.undo !== undefined) {
      assert.equal(this.#active(), step.undo, 'undone where it is seen');
      await executeCommand('undo');
    } else if (step.save !== undefined) {
      assert.equal(this.#active(), step.save, 'saved where it is seen');
      await executeCommand('workbench.action.files.save');
    } else if (step.write) {
      this.#write(step.write);
    } else if (step.stop !== undefined) {
      await executeCommand('mew.stop');
    } else if (step.kill !== undefined) {
      await this.#kill();
    } else if (step.restart !== undefined) {
      await executeCommand('mew.restart');
    } else if (step.wait) {
      await this.#wait(step.wait);
    } else if (step.expect) {
      await this.#expect(step.expect);
    }
  }

  /** Where a text is that the active document has once. */
  #place(text: string): { editor: vscode.TextEditor; range: vscode.Range } {
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor, 'a document is seen');
    const whole = editor.document.getText();
    const at = whole.indexOf(text);
    assert.ok(at >= 0, `"${text}" stands in the document`);
    assert.equal(whole.indexOf(text, at + 1), -1, `"${text}" stands once`);
    const { document } = editor;
    return {
      editor,
      range: new vscode.Range(document.positionAt(at), document.positionAt(at + text.length)),
    };
  }

  /** Types as a person does: each key comes on its own. */
  async #type({ text, before, after, over }: Typing): Promise<void> {
    const { editor, range } = this.#place(before ?? after ?? over ?? '');
    const from = after === undefined ? range.start : range.end;
    editor.selection = new vscode.Selection(from, over === undefined ? from : range.end);
    for (const character of text) {
      await executeCommand('type', { text: character });
    }
  }

  async #decide(verb: 'accept' | 'reject', decision: Decision): Promise<void> {
    if (decision.all === true) {
      await executeCommand(`mew.${verb}All`);
      return;
    }
    if (decision.file !== undefined) {
      assert.equal(this.#active(), decision.file, 'a file is decided on where it is seen');
      await executeCommand(`mew.${verb}File`);
      return;
    }
    const { editor, range } = this.#place(decision.hunk ?? '');
    editor.selection = new vscode.Selection(range.start, range.start);
    if (decision.word !== undefined) {
      this.#person.prepare(decision.word);
      await executeCommand('mew.rejectWithReason');
      return;
    }
    if (decision.take) {
      this.#person.prepare(SIDES[decision.take]);
      await until('a conflict', () =>
        this.#scene.parts.hunks.of(editor.document.uri)?.hunks.some(({ state }) => state === 'conflicted'),
      );
    }
    await executeCommand(`mew.${verb}Hunk`);
  }

  /** Answers the question that waits, by keys in its pick. */
  async #answer({ question, with: chosen, word }: Answer): Promise<void> {
    const { questions } = this.#scene.parts;
    const [waiting] = questions.waiting;
    assert.ok(waiting, 'a question waits');
    assert.ok(waiting.title.includes(question), `asked: ${waiting.title}`);
    const titles = waiting.answers.filter(({ answer }) => answer === chosen).map(({ title }) => title);
    const [refusal] = waiting.answers;
    assert.ok(refusal);
    void executeCommand('mew.approve');
    const isRefusal = (label: string): boolean => label.startsWith(refusal.title);
    await this.#person.choose((label) => titles.some((title) => label.startsWith(title)), isRefusal);
    if (chosen === refusal.answer) {
      // A refusal can be explained.
      await this.#person.write(word ?? '');
    }
    await until('the question to go', () => !questions.waiting.some(({ id }) => id === waiting.id));
  }

  #write(files: Record<string, Text>): void {
    for (const [file, text] of Object.entries(files)) {
      if (text === null) {
        fs.unlinkSync(this.#scene.uri(file).fsPath);
      } else {
        this.#scene.write(file, writtenOut(text));
      }
    }
  }

  async #kill(): Promise<void> {
    const own = fs.readdirSync('/proc').filter((process) => {
      try {
        const [, parent] = /\) \S (\d+)/.exec(fs.readFileSync(`/proc/${process}/stat`, 'utf8')) ?? [];
        const words = fs.readFileSync(`/proc/${process}/cmdline`, 'utf8').split('\0');
        return Number(parent) === pid && words[1] === 'lsp';
      } catch {
        // Not a process, or one that has ended meanwhile.
        return false;
      }
    });
    assert.equal(own.length, 1, 'one server runs');
    const { server } = this.#scene.parts;
    const killed = Number(own[0]);
    kill(killed, 'SIGKILL');
    // The next one may run by the time when it is looked.
    await until('its end', () => server.phase !== 'running' || server.pid !== killed);
  }

  #active(): string | undefined {
    const editor = vscode.window.activeTextEditor;
    return editor && this.#name(editor.document.uri);
  }

  #name(uri: vscode.Uri): string {
    return path.relative(this.#scene.root.fsPath, uri.fsPath);
  }

  /** A document that has a tab. One without is closed, though VS Code may keep it for a while. */
  #document(file: string): vscode.TextDocument | undefined {
    const uri = this.#scene.uri(file).toString();
    const shown = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri);
    return shown ? vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri) : undefined;
  }

  #events<Kind extends SessionEvent['kind']>(kind: Kind): Extract<SessionEvent, { kind: Kind }>[] {
    return this.#scene.events
      .slice(this.#beforePrompt)
      .map(({ event }) => event)
      .filter((event): event is Extract<SessionEvent, { kind: Kind }> => event.kind === kind);
  }

  /** What is so, of what a state speaks of. */
  #look(state: State): State {
    const { hunks, questions, server } = this.#scene.parts;
    const each = <T>(files: object, look: (file: string) => T): Record<string, T> =>
      Object.fromEntries(Object.keys(files).map((file) => [file, look(file)]));
    const disk = (file: string): string | null => {
      const exists = fs.existsSync(this.#scene.uri(file).fsPath);
      return exists ? this.#scene.disk(file) : null;
    };
    const seen: State = {};
    if (state.hunks) {
      seen.hunks = Object.fromEntries(
        hunks.all().map(({ uri, hunks: those }) => [this.#name(uri), those.length]),
      );
    }
    if (state.questions !== undefined) {
      seen.questions = questions.waiting.length;
    }
    if (state.calls !== undefined) {
      seen.calls = this.#events('call_ended').length;
    }
    if (state.ended !== undefined) {
      seen.ended = this.#events('run_ended')[0]?.outcome ?? 'not yet';
    }
    if (state.server !== undefined) {
      seen.server = server.phase === 'running' ? 'running' : 'stopped';
    }
    if (state.buffer) {
      seen.buffer = each(state.buffer, (file) => {
        const document = this.#document(file);
        return document ? logical(document) : null;
      });
    }
    if (state.disk) {
      seen.disk = each(state.disk, disk);
    }
    if (state.dirty) {
      seen.dirty = each(state.dirty, (file) => this.#document(file)?.isDirty ?? false);
    }
    if (state.active !== undefined) {
      seen.active = this.#active() ?? 'nothing';
    }
    return seen;
  }

  #differs(state: State): string | undefined {
    const out = (texts: Record<string, Text>): Record<string, Text> =>
      Object.fromEntries(
        Object.entries(texts).map(([file, text]) => [file, text === null ? null : writtenOut(text)]),
      );
    const wanted: State = { ...state };
    delete wanted.inStep;
    if (wanted.buffer) {
      wanted.buffer = out(wanted.buffer);
    }
    if (wanted.disk) {
      wanted.disk = out(wanted.disk);
    }
    try {
      assert.deepEqual(this.#look(wanted), wanted);
      return undefined;
    } catch (error) {
      return (error as Error).message.slice(0, 4000);
    }
  }

  async #wait(state: State): Promise<void> {
    assert.equal(state.inStep, undefined, 'whether texts are in step is asked, not waited for');
    try {
      await until('the state', () => this.#differs(state) === undefined);
    } catch {
      const ended = JSON.stringify(this.#events('run_ended'));
      assert.fail(`${this.#differs(state) ?? 'it came too late'}; run: ${ended}`);
    }
  }

  async #expect(state: State): Promise<void> {
    const problem = this.#differs(state);
    assert.ok(problem === undefined, problem);
    for (const file of state.inStep ?? []) {
      const document = this.#document(file);
      assert.ok(document, `${file} is open`);
      const { server } = this.#scene.parts;
      const answer = await server.request<{ match: boolean }>('mewcode/checksum', {
        uri: server.fromUri(document.uri),
        version: document.version,
        sha256: crypto.createHash('sha256').update(logical(document)).digest('hex'),
      });
      assert.ok(answer.match, `server and document are hash-equal: ${file}`);
    }
  }
}
