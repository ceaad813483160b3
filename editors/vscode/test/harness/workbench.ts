// The real VS Code without a screen: the workbench of code-server on this machine's loopback with a throw-away profile, and
// Chromium on it. Knows nothing of MewCode but the path of its server.
//
// MEWCODE_VSCODE is where `tests/provide-vscode` put code-server and Node; MEWCODE_BINARY is the server's binary, that of a
// debug build if it is not set; MEWCODE_CHROMIUM another Chromium than Debian's.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import * as http from 'node:http';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium, type BrowserContext, type Page } from 'playwright-core';

/** The extension's own folder. */
export const EXTENSION = path.resolve(import.meta.dirname, '../..');
/** Where screenshots and logs of failed tests are kept. */
export const KEPT = path.join(EXTENSION, 'test/.out');

const START_MILLISECONDS = 120_000;

/** The server's binary. */
export function binary(): string {
  const named = process.env['MEWCODE_BINARY'] ?? path.resolve(EXTENSION, '../../target/debug/mewcode');
  if (!fs.existsSync(named)) {
    throw new Error(`there is no ${named}: run \`cargo build\`, or name a binary with MEWCODE_BINARY`);
  }
  return named;
}

function codeServer(): string {
  const prefix = process.env['MEWCODE_VSCODE'];
  if (prefix === undefined) {
    throw new Error('MEWCODE_VSCODE names no folder with code-server; run tests/run, which provides one');
  }
  return path.join(prefix, 'bin', 'code-server');
}

/** How a workbench is to be. */
export interface Options {
  /** Packaged extensions to install. */
  vsix?: string[];
  /** Built extensions to copy in as they are, before anything else is installed. */
  unpacked?: string[];
  /** The user's settings, over the harness's own. */
  settings?: Record<string, unknown>;
  /** More for the environment of the extension host, and so of the server. */
  environment?: Record<string, string>;
  /** Lets the page load an extension and its tests from folders. It hides notifications. */
  testDriver?: boolean;
  /** Asks whether a folder is trusted, as VS Code does by default. */
  trust?: boolean;
}

const QUIET: Record<string, unknown> = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'files.autoSave': 'off',
  'editor.accessibilitySupport': 'off',
  'editor.minimap.enabled': false,
  // Nothing is drawn again and again while it waits.
  'editor.cursorBlinking': 'solid',
  'workbench.reduceMotion': 'on',
};

/** A workbench that runs, and a browser for it. */
export class Workbench {
  readonly url: string;
  /** Its home folder, profile and logs. */
  readonly root: string;
  /** Requests that left this machine. */
  readonly foreign: string[] = [];
  readonly #server: ChildProcess;
  readonly #browser: BrowserContext;

  private constructor(url: string, root: string, server: ChildProcess, browser: BrowserContext) {
    this.url = url;
    this.root = root;
    this.#server = server;
    this.#browser = browser;
    browser.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (/^(https?|wss?):$/.test(protocol) && hostname !== '127.0.0.1') {
        this.foreign.push(request.url());
      }
    });
  }

  static async start(options: Options = {}): Promise<Workbench> {
    const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mewcode-workbench-')));
    const server = await startServer(root, options);
    const browser = await chromium.launchPersistentContext(path.join(root, 'browser'), {
      executablePath: process.env['MEWCODE_CHROMIUM'] ?? '/usr/bin/chromium',
      headless: true,
      viewport: { width: 1280, height: 800 },
      chromiumSandbox: false,
      locale: 'en-US',
      permissions: ['clipboard-read', 'clipboard-write'],
      args: [
        '--disable-gpu',
        // Containers often have too little of it.
        '--disable-dev-shm-usage',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
      ],
    });
    browser.setDefaultTimeout(60_000);
    return new Workbench(server.url, root, server.child, browser);
  }

  /** A window without a page loaded yet. */
  async page(): Promise<Page> {
    return this.#browser.newPage();
  }

  /** Opens a folder in a window of its own and waits for the workbench. */
  async open(folder: string, payload: [string, string][] = []): Promise<Page> {
    const page = await this.page();
    await page.goto(this.address(folder, payload));
    await page.locator('.monaco-workbench .statusbar').waitFor();
    return page;
  }

  /** The address of a folder. `payload` is for the test driver. */
  address(folder: string, payload: [string, string][] = []): string {
    const query = new URLSearchParams({ folder });
    if (payload.length > 0) {
      query.set('payload', JSON.stringify(payload));
    }
    return `${this.url}/?${query.toString()}`;
  }

  /** A path on this machine, as the page names it. */
  remote(file: string): string {
    return `vscode-remote://${new URL(this.url).host}${file}`;
  }

  /** Copies the logs to where they are kept. */
  keepLogs(name: string): void {
    const logs = path.join(this.root, 'data/logs');
    if (fs.existsSync(logs)) {
      fs.cpSync(logs, path.join(KEPT, `${name}-logs`), { recursive: true });
    }
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    const gone = new Promise<void>((resolve) => {
      if (this.#server.exitCode !== null || this.#server.signalCode !== null) {
        resolve();
      } else {
        this.#server.once('exit', () => {
          resolve();
        });
      }
    });
    signal(this.#server, 'SIGTERM');
    const ended = await Promise.race([gone.then(() => true), pause(10_000, false, { ref: false })]);
    if (!ended) {
      signal(this.#server, 'SIGKILL');
      await gone;
    }
    fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** To the whole group of the process: code-server starts others. */
function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) {
      process.kill(-child.pid, name);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}

async function startServer(root: string, options: Options): Promise<{ url: string; child: ChildProcess }> {
  const data = path.join(root, 'data');
  const extensions = path.join(root, 'extensions');
  fs.mkdirSync(path.join(data, 'User'), { recursive: true });
  fs.mkdirSync(path.join(data, 'Machine'));
  fs.mkdirSync(path.join(root, 'run'), { mode: 0o700 });
  fs.writeFileSync(path.join(root, 'config.yaml'), 'auth: none\ncert: false\n');
  const settings = {
    ...QUIET,
    'security.workspace.trust.enabled': options.trust ?? false,
    'mewcode.server.path': binary(),
    ...options.settings,
  };
  fs.writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify(settings));
  // For VS Code this is a remote machine, which has its own settings: those of scope `machine` count only there.
  const ofMachine = Object.entries(settings).filter(([key]) => key.startsWith('mewcode.'));
  fs.writeFileSync(path.join(data, 'Machine/settings.json'), JSON.stringify(Object.fromEntries(ofMachine)));
  // Of a VS Code that this may be running in, and of the person's model.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^VSCODE_(IPC|PID|CWD|NLS)|^ANTHROPIC_/.test(name),
  );
  const environment: NodeJS.ProcessEnv = {
    ...Object.fromEntries(inherited),
    // Nothing of the person's own is read or written.
    HOME: root,
    XDG_CONFIG_HOME: path.join(root, '.config'),
    XDG_DATA_HOME: path.join(root, '.local/share'),
    XDG_STATE_HOME: path.join(root, '.local/state'),
    XDG_CACHE_HOME: path.join(root, '.cache'),
    XDG_RUNTIME_DIR: path.join(root, 'run'),
    EXTENSIONS_GALLERY: '{}',
    VSCODE_PROXY_URI: '',
    ...options.environment,
  };
  const common = [
    ...['--config', path.join(root, 'config.yaml')],
    ...['--user-data-dir', data],
    ...['--extensions-dir', extensions],
  ];
  for (const folder of options.unpacked ?? []) {
    const about = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as Record<
      string,
      string
    >;
    const name = `${about['publisher'] ?? ''}.${about['name'] ?? ''}-${about['version'] ?? ''}`;
    const wanted = new Set(['', 'package.json', 'dist', 'media']);
    fs.cpSync(folder, path.join(extensions, name), {
      recursive: true,
      filter: (file) => wanted.has(path.relative(folder, file).split(path.sep)[0] ?? ''),
    });
  }
  for (const vsix of options.vsix ?? []) {
    const done = spawnSync(codeServer(), [...common, '--install-extension', vsix, '--force'], {
      env: environment,
      encoding: 'utf8',
    });
    if (done.status !== 0 || !done.stdout.includes('successfully installed')) {
      throw new Error(`${vsix} could not be installed:\n${done.stdout}${done.stderr}`);
    }
  }
  const port = await freePort();
  const log = path.join(root, 'code-server.log');
  const out = fs.openSync(log, 'w');
  const child = spawn(
    codeServer(),
    [
      ...common,
      ...['--bind-addr', `127.0.0.1:${port}`],
      ...['--auth', 'none', '--disable-telemetry', '--disable-update-check'],
      ...['--disable-getting-started-override', '--ignore-last-opened'],
      ...((options.trust ?? false) ? [] : ['--disable-workspace-trust']),
      ...((options.testDriver ?? false) ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
    ],
    { env: environment, stdio: ['ignore', out, out], detached: true },
  );
  fs.closeSync(out);
  const url = `http://127.0.0.1:${port}`;
  const begun = Date.now();
  while ((await status(`${url}/healthz`)) !== 200) {
    if (child.exitCode !== null || Date.now() - begun > START_MILLISECONDS) {
      signal(child, 'SIGKILL');
      throw new Error(`code-server did not start:\n${fs.readFileSync(log, 'utf8')}`);
    }
    await pause(100);
  }
  return { url, child };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });
}

/** The status of an answer, 0 if there is none. */
function status(url: string): Promise<number> {
  return new Promise((resolve) => {
    http
      .get(url, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
      .on('error', () => {
        resolve(0);
      });
  });
}
