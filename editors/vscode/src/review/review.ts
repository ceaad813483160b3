// The review of hunks: makes its parts and registers its commands.

import * as vscode from 'vscode';
import type { Connection } from '../server/connection.ts';
import { command } from '../ui/report.ts';
import { Blocks } from './blocks.ts';
import { Decide } from './decide.ts';
import { Diffs } from './diff.ts';
import { Drawing } from './drawing.ts';
import type { Hunks } from './hunks.ts';
import { Jump } from './jump.ts';
import { Pick } from './pick.ts';
import { Places } from './places.ts';
import { Targets } from './target.ts';

export class Review implements vscode.Disposable {
  readonly places: Places;
  readonly drawing: Drawing;
  readonly blocks: Blocks;
  readonly diffs: Diffs;
  readonly targets: Targets;
  readonly jump: Jump;
  readonly #parts: vscode.Disposable;

  /** `media`: the folder with the signs. */
  constructor(connection: Connection, hunks: Hunks, media: vscode.Uri) {
    this.places = new Places(hunks);
    this.drawing = new Drawing(this.places, media);
    this.blocks = new Blocks(this.places);
    this.diffs = new Diffs(this.places, connection);
    this.targets = new Targets(hunks, this.places, this.blocks, this.diffs);
    this.jump = new Jump(this.places, this.diffs, this.targets);
    const decide = new Decide(connection, this.places, this.targets, this.diffs);
    const pick = new Pick(this.places, this.jump, decide, this.diffs);
    this.#parts = vscode.Disposable.from(
      this.places,
      this.drawing,
      this.blocks,
      this.diffs,
      this.targets,
      command('mew.acceptHunk', (argument?: unknown) => decide.hunk('accept', argument)),
      command('mew.rejectHunk', (argument?: unknown) => decide.hunk('reject', argument)),
      command('mew.rejectWithReason', (argument?: unknown) => decide.rejectWithReason(argument)),
      command('mew.acceptFile', (argument?: unknown) => decide.document('accept', argument)),
      command('mew.rejectFile', (argument?: unknown) => decide.document('reject', argument)),
      command('mew.rejectFileWithReason', (argument?: unknown) => decide.rejectDocumentWithReason(argument)),
      command('mew.acceptAll', () => decide.all('accept')),
      command('mew.rejectAll', () => decide.all('reject')),
      command('mew.nextHunk', () => this.jump.go(1)),
      command('mew.previousHunk', () => this.jump.go(-1)),
      command('mew.showDiff', (argument?: unknown) => this.#showDiff(argument)),
      command('mew.review', () => {
        pick.open();
      }),
    );
  }

  dispose(): void {
    this.#parts.dispose();
  }

  /** Of the hunk that is meant, else of the whole document. */
  async #showDiff(argument?: unknown): Promise<void> {
    const target = await this.targets.hunk(argument);
    const uri = target?.uri ?? this.targets.document(argument);
    if (!uri) {
      throw new Error('open a file with a hunk, or choose one with Review Hunks.');
    }
    await this.diffs.show({ uri, hunk: target?.placed.hunk.id });
  }
}
