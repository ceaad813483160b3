// Folders of a test's own: a workspace with files, a script of model turns, and what the disk holds afterwards.

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

/** A turn of the scripted model: `{text?, calls?: [{tool, args}], expect?: [{status, …}]}`. */
export type Turn = object;

/** `greet.py` → its text. */
export type Files = Record<string, string>;

export class Workspace {
  /** A real path. */
  readonly root: string;

  constructor(files: Files = {}, turns: readonly Turn[] = []) {
    this.root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mewcode-vscode-')));
    for (const [file, text] of Object.entries(files)) {
      this.write(file, text);
    }
    // What plays the model may stand in a workspace that nobody trusted yet, where the user has no provider.
    this.write('.mewcode.yaml', 'script: turns.yaml\n');
    this.script(turns);
  }

  path(file: string): string {
    return path.join(this.root, file);
  }

  /** Writes a file behind everybody's back. */
  write(file: string, text: string): void {
    fs.mkdirSync(path.dirname(this.path(file)), { recursive: true });
    fs.writeFileSync(this.path(file), text);
  }

  /** What the disk holds. */
  disk(file: string): string {
    return fs.readFileSync(this.path(file), 'utf8');
  }

  exists(file: string): boolean {
    return fs.existsSync(this.path(file));
  }

  /** The turns that a session plays that is begun afterwards. JSON is YAML. */
  script(turns: readonly Turn[]): void {
    this.write('turns.yaml', JSON.stringify({ turns }));
  }

  remove(): void {
    fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
