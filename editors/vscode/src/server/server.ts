// The life of the server: one at most, started again when it ends by itself, ended for certain. Everything else sees it as a
// `Connection`. Knows nothing of where it is found, and shows nothing: what the user should know is told by events.

import * as vscode from 'vscode';
import type { Range } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import { State } from 'vscode-languageclient/node';
import type { ApprovalParams, Envelope, Mode, ReviewParams, Status } from '../protocol.ts';
import { APPROVAL, EVENT, PROTOCOL_VERSION, REVIEW, STATUS } from '../protocol.ts';
import { words } from '../ui/report.ts';
import { Backoff } from './backoff.ts';
import { modeAgain } from './chosen.ts';
import { createClient } from './client.ts';
import type { Connection, Phase } from './connection.ts';
import { ServerUnavailable } from './connection.ts';
import { judge } from './handshake.ts';
import { NotFound } from './locate.ts';
import { ServerProcess } from './process.ts';

/** How long it may take to answer to `initialize`. */
const START_MILLISECONDS = 20_000;
/** How long it may take to end once it was asked to; VS Code itself waits five seconds for all of it. */
const STOP_MILLISECONDS = 2000;
/** The status of a server that was started wrongly: to start it again would change nothing. */
const MISUSE = 2;

const UNTRUSTED =
  'This workspace is not trusted, so MewCode’s server is not started. Trust the workspace to use it.';

/** What is started. */
export interface Launch {
  command: string;
  /** What follows `lsp`. */
  args: readonly string[];
  /** A folder that exists. */
  cwd: string;
  /** `initializationOptions`. */
  options: object;
}

/** What a user can do about a fault. */
export type Remedy = 'restart' | 'log' | 'settings' | 'walkthrough';

export interface Told {
  message: string;
  severity: 'error' | 'warning';
  remedies: readonly Remedy[];
}

/** A server that was started, with the client that talks to it. */
interface Run {
  process: ServerProcess;
  client: LanguageClient;
  isStopping: boolean;
  /** Of its first status. */
  configured?: Mode;
}

export class Server implements Connection, vscode.Disposable {
  #run: Run | undefined;
  #phase: Phase = 'stopped';
  #reason: string | undefined;
  #version: string | undefined;
  #isWanted = false;
  #turn: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** What the user set in this window. */
  #mode: Mode | undefined;
  #status: Status | undefined;
  /** What to tell when it runs again. */
  #loss: string | undefined;
  readonly #backoff: Backoff;
  readonly #find: () => Promise<Launch>;
  readonly #ownVersion: string;
  readonly #startMilliseconds: number;
  readonly #handlers = new Map<string, (params: never) => Promise<unknown>>();
  readonly #overrides = new Map<string, (argument: unknown) => Promise<unknown>>();
  #shows: (uri: vscode.Uri) => boolean = () => false;
  readonly #changedPhase = new vscode.EventEmitter<Phase>();
  readonly #told = new vscode.EventEmitter<Told>();
  readonly #reviewed = new vscode.EventEmitter<ReviewParams>();
  readonly #asked = new vscode.EventEmitter<ApprovalParams>();
  readonly #happened = new vscode.EventEmitter<Envelope>();
  readonly #changedStatus = new vscode.EventEmitter<Status>();

  readonly output: vscode.LogOutputChannel;
  readonly onDidChangePhase = this.#changedPhase.event;
  readonly onTold = this.#told.event;
  readonly onReview = this.#reviewed.event;
  readonly onApproval = this.#asked.event;
  readonly onEvent = this.#happened.event;
  readonly onStatus = this.#changedStatus.event;

  /** `find` may reject with `NotFound`. */
  constructor(
    find: () => Promise<Launch>,
    ownVersion: string,
    output: vscode.LogOutputChannel,
    timing: { startMilliseconds?: number; backoff?: Backoff } = {},
  ) {
    this.#find = find;
    this.#ownVersion = ownVersion;
    this.output = output;
    this.#startMilliseconds = timing.startMilliseconds ?? START_MILLISECONDS;
    this.#backoff = timing.backoff ?? new Backoff();
  }

  get phase(): Phase {
    return this.#phase;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  get version(): string | undefined {
    return this.#version;
  }

  /** Nothing would be lost with it: it has no session. */
  get isUnused(): boolean {
    return this.#status?.session === null;
  }

  /** The number of its process. */
  get pid(): number | undefined {
    return this.#run?.process.child.pid;
  }

  /** Starts it, if it does not run. What comes of it is the phase. */
  async start(): Promise<void> {
    this.#isWanted = true;
    this.#reason = undefined;
    this.#backoff.clear();
    clearTimeout(this.#timer);
    await this.#inTurn(() => this.#launch());
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    clearTimeout(this.#timer);
    if (this.#phase === 'starting') {
      this.#run?.process.kill();
    }
    await this.#inTurn(() => this.#end());
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async request<Result>(method: string, params: object): Promise<Result> {
    const run = this.#run;
    if (this.#phase !== 'running' || run === undefined) {
      throw new ServerUnavailable(this.#reason ?? 'MewCode’s server does not run.');
    }
    try {
      return await run.client.sendRequest<Result>(method, params);
    } catch (error) {
      if (run.process.isLost || run.isStopping || run.client.state !== State.Running) {
        throw new ServerUnavailable('MewCode’s server ended before it answered.');
      }
      throw error;
    }
  }

  async execute<Result>(command: string, argument: object): Promise<Result> {
    const result = await this.request<Result>('workspace/executeCommand', { command, arguments: [argument] });
    if (command === 'mewcode.setMode' && 'mode' in argument) {
      this.#mode = argument.mode as Mode;
    }
    return result;
  }

  notify(method: string, params: object): void {
    if (this.#phase === 'running') {
      this.#run?.client.sendNotification(method, params).catch((error: unknown) => {
        this.output.error(`${method} was not sent: ${words(error)}`);
      });
    }
  }

  handle<Params>(method: string, handler: (params: Params) => Promise<unknown>): void {
    this.#handlers.set(method, handler);
  }

  override(command: string, run: (argument: unknown) => Promise<unknown>): void {
    this.#overrides.set(command, run);
  }

  present(shows: (uri: vscode.Uri) => boolean): void {
    this.#shows = shows;
  }

  toUri(uri: string): vscode.Uri {
    return vscode.Uri.parse(uri, true);
  }

  fromUri(uri: vscode.Uri): string {
    return uri.toString();
  }

  toRange(range: Range): vscode.Range {
    return new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
  }

  fromRange({ start, end }: vscode.Range): Range {
    return {
      start: { line: start.line, character: start.character },
      end: { line: end.line, character: end.character },
    };
  }

  dispose(): void {
    void this.stop();
  }

  /** One thing after the other: there are never two servers. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work).catch((error: unknown) => {
      this.#fail(`MewCode’s server could not be started or ended: ${words(error)}`, ['restart', 'log']);
    });
    return this.#turn;
  }

  async #launch(): Promise<void> {
    if (this.#run !== undefined || !this.#mayRun()) {
      return;
    }
    if (!vscode.workspace.isTrusted) {
      this.#set('held', UNTRUSTED);
      return;
    }
    this.#set('starting', this.#reason);
    let launch: Launch;
    let process: ServerProcess;
    try {
      launch = await this.#find();
    } catch (error) {
      this.#fail(words(error), error instanceof NotFound ? ['settings', 'walkthrough'] : ['restart', 'log']);
      return;
    }
    if (!this.#mayRun()) {
      return;
    }
    const { command } = launch;
    this.output.info(`Starting ${[command, 'lsp', ...launch.args].join(' ')}`);
    try {
      process = new ServerProcess(command, ['lsp', ...launch.args], launch.cwd, (line) => {
        this.output.error(line);
      });
    } catch (error) {
      this.#fail(`The server ${command} cannot be started: ${words(error)}.`, ['settings', 'log']);
      return;
    }
    let fault: string | undefined;
    let notice: string | undefined;
    const giveUp = (why: string): void => {
      fault ??= why;
      process.kill();
    };
    const client = createClient({
      process,
      output: this.output,
      overrides: this.#overrides,
      shows: (uri) => this.#shows(this.toUri(uri)),
      initializationOptions: launch.options,
      watch: {
        judge: (result) => {
          const judgement = judge(result, command, { version: this.#ownVersion, protocol: PROTOCOL_VERSION });
          this.#version = result.serverInfo?.version;
          ({ notice } = judgement);
          fault ??= judgement.fault;
          return judgement.fault;
        },
        garbage: (text) => {
          giveUp(`${command} is no language server: it printed “${text}”. Correct “mewcode.server.path”.`);
        },
      },
      broken: (error) => {
        this.output.error(`The conversation with the server is broken: ${words(error)}`);
        process.kill();
      },
    });
    const run: Run = { process, client, isStopping: false };
    this.#run = run;
    this.#listen(run);
    const timer = setTimeout(() => {
      const seconds = Math.round(this.#startMilliseconds / 1000);
      giveUp(`The server ${command} did not answer within ${seconds} seconds.`);
    }, this.#startMilliseconds);
    try {
      const early = process.ended.then((how) => Promise.reject(new Error(`the server ended ${how}`)));
      await Promise.race([client.start(), early]);
    } catch (error) {
      this.output.error(words(error));
      process.kill();
      const how = await process.ended;
      this.#run = undefined;
      this.#ended(process, how, fault);
      return;
    } finally {
      clearTimeout(timer);
    }
    this.#set('running');
    this.output.info(
      `The server runs: version ${this.#version ?? 'unknown'}, process ${process.child.pid ?? 0}`,
    );
    for (const message of [notice, this.#loss]) {
      if (message !== undefined) {
        this.#told.fire({ message, severity: 'warning', remedies: ['log'] });
      }
    }
    this.#loss = undefined;
    this.#setModeAgain(run);
    void process.ended.then((how) => this.#crashed(run, how));
  }

  /** Whether nobody stopped it meanwhile. */
  #mayRun(): boolean {
    return this.#isWanted;
  }

  #listen(run: Run): void {
    const { client, process } = run;
    for (const [method, handler] of this.#handlers) {
      client.onRequest(method, handler);
    }
    client.onNotification(REVIEW, (params: ReviewParams) => {
      this.#reviewed.fire(params);
    });
    client.onNotification(APPROVAL, (params: ApprovalParams) => {
      this.#asked.fire(params);
    });
    client.onNotification(EVENT, (params: Envelope) => {
      this.#happened.fire(params);
    });
    client.onNotification(STATUS, (params: Status) => {
      if (run.configured === undefined) {
        run.configured = params.mode;
        this.#setModeAgain(run);
      }
      this.#status = params;
      this.#changedStatus.fire(params);
    });
    client.onDidChangeState(({ newState }) => {
      // One that cannot be heard any more is of no use.
      if (newState === State.Stopped && !run.isStopping) {
        process.kill();
      }
    });
  }

  /** Asks it to end, and waits until it is gone. */
  async #end(): Promise<void> {
    const run = this.#run;
    if (run !== undefined) {
      run.isStopping = true;
      this.#set('stopped');
      if (run.client.state === State.Running) {
        await run.client.stop(STOP_MILLISECONDS).catch((error: unknown) => {
          this.output.error(`The server did not end as it should: ${words(error)}`);
        });
      }
      await run.process.finish(STOP_MILLISECONDS / 2);
      this.#run = undefined;
    }
    this.#status = undefined;
    this.#set('stopped');
  }

  /** It ended by itself while it ran. */
  async #crashed(run: Run, how: string): Promise<void> {
    if (run.isStopping) {
      return;
    }
    if ((this.#status?.running ?? 0) > 0) {
      this.#loss = `The server ended ${how} and was started again. The run that was under way has stopped.`;
    }
    this.#status = undefined;
    this.#set('starting', `The server ended ${how} and is started again.`);
    await this.#inTurn(async () => {
      // What it had registered must be gone before the next one registers the same.
      await stopped(run.client);
      if (this.#run === run) {
        this.#run = undefined;
        this.#ended(run.process, how, undefined);
      }
    });
  }

  /** Decides what follows when it ended without having been asked to. */
  #ended(process: ServerProcess, how: string, fault: string | undefined): void {
    if (!this.#isWanted) {
      return;
    }
    const { lastWords } = process;
    const said = lastWords === '' ? '' : ` Its last words: ${lastWords}`;
    if (fault !== undefined) {
      this.#fail(fault + said, ['settings', 'restart', 'log']);
    } else if (process.refusal !== undefined) {
      this.#fail(`The server cannot be started: ${process.refusal}.`, ['settings', 'log']);
    } else if (process.code === MISUSE) {
      this.#fail(`The server refused to start.${said}`, ['settings', 'restart', 'log']);
    } else {
      const message = `The server ended ${how}.`;
      this.output.error(message);
      const delay = this.#backoff.next(Date.now());
      if (delay === undefined) {
        this.#fail(`${message} It did so five times within three minutes and is left alone.${said}`, [
          'restart',
          'log',
        ]);
        return;
      }
      this.#set('starting', `The server ended ${how} and is started again.`);
      this.#timer = setTimeout(() => void this.#inTurn(() => this.#launch()), delay);
    }
  }

  #fail(message: string, remedies: readonly Remedy[]): void {
    this.output.error(message);
    this.#loss = undefined;
    this.#set('failed', message);
    this.#told.fire({ message, severity: 'error', remedies });
  }

  /** Once the server runs and has told its mode, whichever comes first. */
  #setModeAgain(run: Run): void {
    if (this.#phase !== 'running' || run.configured === undefined) {
      return;
    }
    const { set, tell } = modeAgain(this.#mode, run.configured);
    this.#mode = set;
    if (tell !== undefined) {
      this.#told.fire({ message: tell, severity: 'warning', remedies: [] });
    }
    if (set !== undefined) {
      this.execute('mewcode.setMode', { mode: set }).catch((error: unknown) => {
        const message = `The mode “${set}” was not set again: ${words(error)}`;
        this.#told.fire({ message, severity: 'error', remedies: ['log'] });
      });
    }
  }

  #set(phase: Phase, reason?: string): void {
    this.#reason = phase === 'running' ? undefined : reason;
    if (this.#phase !== phase) {
      this.#phase = phase;
      this.#changedPhase.fire(phase);
    }
  }
}

/** When the client has taken back all that it registered. */
function stopped(client: LanguageClient): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (client.state === State.Stopped || client.state === State.StartFailed) {
        listening.dispose();
        resolve();
      }
    };
    const listening = client.onDidChangeState(look);
    look();
  });
}
