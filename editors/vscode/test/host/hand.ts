// What the tests of applying share: requests as the server makes them, and what the editor does with them.

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { TextEdit } from 'vscode-languageclient';
import type { Inside } from '../../src/extension.ts';
import type { ApplyEditResult, ChecksumResult, DocumentEdits, FileOperation } from '../../src/protocol.ts';
import type { Mode } from '../../src/protocol.ts';
import { CHECKSUM } from '../../src/protocol.ts';
import { hash, logical, sha256 } from '../../src/text/logical.ts';
import { say } from '../harness/turns.ts';
import type { Files, Turn } from '../harness/workspace.ts';
import { Scene } from './scene.ts';

/** A text edit by lines and columns. */
export function replace(
  line: number,
  character: number,
  endLine: number,
  endCharacter: number,
  newText: string,
): TextEdit {
  return { range: { start: { line, character }, end: { line: endLine, character: endCharacter } }, newText };
}

/** The part of a request that is about one document, as it is now. */
export function part(
  { server }: Inside,
  document: vscode.TextDocument,
  edits: TextEdit[],
  file?: FileOperation,
): DocumentEdits {
  return {
    uri: server.fromUri(document.uri),
    version: document.version,
    sha256: hash(document),
    edits,
    ...(file ? { file } : {}),
  };
}

/** Edits one document as it is now. */
export function edit(
  parts: Inside,
  document: vscode.TextDocument,
  ...edits: TextEdit[]
): Promise<ApplyEditResult> {
  return parts.edits.apply({ label: 'test', documents: [part(parts, document, edits)] });
}

/** The answer was this refusal, and no text changed. */
export function isRefused(result: ApplyEditResult, reason: ApplyEditResult['reason'], message: RegExp): void {
  assert.equal(result.applied, false);
  assert.equal(result.reason, reason);
  assert.match(result.message ?? '', message);
}

/** Asks the server whether it holds this text: nothing that is sent later can make it true. */
export async function serverHolds(
  { server }: Inside,
  document: vscode.TextDocument,
  text: string,
): Promise<boolean> {
  const params = {
    uri: server.fromUri(document.uri),
    version: document.version,
    sha256: sha256(logical(text)),
  };
  return (await server.request<ChecksumResult>(CHECKSUM, params)).match;
}

/** Types as the keyboard does, where the cursor is. */
export async function type(text: string): Promise<void> {
  await vscode.commands.executeCommand('type', { text });
}

/**
 * Sets a setting while something runs, by the name that VS Code gives it. Afterwards it is what it was: what the workbench of the
 * tests sets, for one auto-save, has another default.
 */
export async function withSetting<T>(name: string, value: unknown, run: () => Promise<T>): Promise<T> {
  const [section, key] = [name.slice(0, name.lastIndexOf('.')), name.slice(name.lastIndexOf('.') + 1)];
  const set = (to: unknown): Thenable<void> =>
    vscode.workspace.getConfiguration(section).update(key, to, vscode.ConfigurationTarget.Global);
  const before = vscode.workspace.getConfiguration(section).inspect(key)?.globalValue;
  await set(value);
  try {
    return await run();
  } finally {
    await set(before);
  }
}

/** Scenes whose files are in a folder of each one's own: VS Code keeps documents for a while when their editors are closed. */
export class Rooms {
  readonly #name: string;
  #number = 0;
  #scene: Scene | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  get scene(): Scene {
    assert.ok(this.#scene, 'a scene was begun');
    return this.#scene;
  }

  /** Begins a scene with these files; the turns are told their paths in the workspace. */
  async begin(
    files: Files,
    turns: (own: (file: string) => string) => readonly Turn[] = () => [say('Nothing to do.')],
    mode: Mode = 'bypass',
  ): Promise<Inside> {
    this.#number += 1;
    const named = Object.entries(files).map(([file, text]) => [this.path(file), text]);
    const own = (file: string): string => this.path(file);
    this.#scene = await Scene.begin(Object.fromEntries(named) as Files, turns(own), mode);
    return this.#scene.parts;
  }

  path(file: string): string {
    return `${this.#name}${this.#number}/${file}`;
  }

  uri(file: string): vscode.Uri {
    return this.scene.uri(this.path(file));
  }

  open(file: string): Promise<vscode.TextEditor> {
    return this.scene.open(this.path(file));
  }

  disk(file: string): string {
    return this.scene.disk(this.path(file));
  }

  exists(file: string): boolean {
    return this.scene.exists(this.path(file));
  }

  async end(): Promise<void> {
    await this.#scene?.end();
  }
}
