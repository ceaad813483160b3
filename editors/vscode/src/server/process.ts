// The server as a process: started, listened to, ended for certain. Knows nothing of the protocol, nor of why.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import * as readline from 'node:readline';

/** So much of what it said last is kept for messages. */
const LAST_LINES = 8;
const LAST_CHARACTERS = 600;
/** How long output may still come after the end: a process that it started may hold the pipe. */
const DRAIN_MILLISECONDS = 300;

export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Fulfilled when it is gone and its pipes are closed, with how it ended: "with status 1". */
  readonly ended: Promise<string>;
  /** It could not even be started. */
  refusal: string | undefined;
  /** The status that it ended with by itself. */
  code: number | null = null;
  #hasEnded = false;
  readonly #lastLines: string[] = [];

  constructor(command: string, args: readonly string[], cwd: string, tell: (line: string) => void) {
    this.child = spawn(command, args, { cwd, stdio: 'pipe', windowsHide: true });
    // Writing to one that is gone; its end is told elsewhere.
    this.child.stdin.on('error', () => undefined);
    readline.createInterface({ input: this.child.stderr, crlfDelay: Infinity }).on('line', (line) => {
      this.#lastLines.push(line);
      this.#lastLines.splice(0, this.#lastLines.length - LAST_LINES);
      tell(line);
    });
    this.ended = new Promise((resolve) => {
      const end = (how: string): void => {
        if (!this.#hasEnded) {
          this.#hasEnded = true;
          this.child.stdin.destroy();
          this.child.stdout.destroy();
          this.child.stderr.destroy();
          resolve(how);
        }
      };
      this.child.once('error', (error) => {
        if (this.child.pid === undefined) {
          this.refusal = error.message;
          end('before it began');
        }
      });
      this.child.once('exit', (code, signal) => {
        this.code = code;
        const how = signal === null ? `with status ${code ?? 0}` : `by the signal ${signal}`;
        this.child.once('close', () => {
          end(how);
        });
        setTimeout(end, DRAIN_MILLISECONDS, how);
      });
    });
  }

  /** It is gone, or nothing can be said to it any more. */
  get isLost(): boolean {
    const { exitCode, signalCode, stdin } = this.child;
    return this.#hasEnded || exitCode !== null || signalCode !== null || stdin.destroyed;
  }

  /** What it printed last on its standard error, or nothing. */
  get lastWords(): string {
    return this.#lastLines.join('\n').trim().slice(-LAST_CHARACTERS);
  }

  /** Ends it at once. */
  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** Waits for its end, and makes it if it does not come. */
  async finish(patienceMilliseconds: number): Promise<void> {
    const timer = setTimeout(() => {
      this.kill();
    }, patienceMilliseconds);
    await this.ended;
    clearTimeout(timer);
  }
}
