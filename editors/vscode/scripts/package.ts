// Builds mewcode-VERSION.vsix: the bundle, its media and what people read, and nothing else. With --server the server comes along.
//
//   npm run package                                                  for every system; the server is found on PATH or in settings
//   npm run package -- --server PATH --target linux-x64              with that binary, for that system
//   npm run package -- --out FILE                                    somewhere else

import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { parseArgs } from 'node:util';

const root = path.dirname(import.meta.dirname);
const repository = path.resolve(root, '../..');

/** Between two texts. */
const RULE = `\n${'-'.repeat(78)}\n\n`;
/** What of package.json concerns only those who build. */
const NOT_SHIPPED = ['private', 'scripts', 'dependencies', 'devDependencies'];

const { values } = parseArgs({
  options: { server: { type: 'string' }, target: { type: 'string' }, out: { type: 'string' } },
});
if ((values.server === undefined) !== (values.target === undefined)) {
  throw new Error('--server and --target go together: a binary is for one system');
}

/** Runs a program of Node; what it prints is shown if it fails or warns. */
function run(script: string, args: string[], cwd: string): void {
  const done = spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' });
  const said = `${done.stdout}${done.stderr}`;
  if (done.status !== 0 || /\bwarning\b/i.test(said)) {
    throw new Error(`${[path.basename(script), ...args].join(' ')}:\n${said}`);
  }
}

function copy(from: string, to: string): void {
  fs.cpSync(from, to, { recursive: true });
}

/** The licences of the packages that the bundle has parts of. */
function notices(parts: string): string {
  const packages = (JSON.parse(fs.readFileSync(parts, 'utf8')) as string[])
    .map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
    .filter((folder) => folder !== undefined);
  const texts = [...new Set(packages)].sort().map((folder) => {
    const about = JSON.parse(fs.readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
    };
    const licence = fs.readdirSync(path.join(root, folder)).find((file) => /^licen[cs]e/i.test(file));
    if (licence === undefined) {
      throw new Error(`${folder} has no licence to ship with it`);
    }
    const text = fs.readFileSync(path.join(root, folder, licence), 'utf8');
    return `${about.name} ${about.version}\n\n${text.trim()}\n`;
  });
  return ['MewCode’s extension has parts of these packages in it.\n', ...texts].join(RULE);
}

const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as Record<
  string,
  unknown
>;
const version = String(manifest['version']);
const name = ['mewcode', version, ...(values.target === undefined ? [] : [values.target])].join('-');
const out = path.resolve(values.out ?? path.join(root, `${name}.vsix`));

const stage = fs.mkdtempSync(path.join(os.tmpdir(), 'mewcode-package-'));
try {
  const parts = path.join(stage, 'parts.json');
  run(path.join(import.meta.dirname, 'build.ts'), ['--parts', parts], root);
  fs.writeFileSync(path.join(stage, 'NOTICES.txt'), notices(parts));
  fs.rmSync(parts);
  // Nothing is in this folder that is not to be shipped; without the file there would be a warning.
  fs.writeFileSync(path.join(stage, '.vscodeignore'), '');
  for (const part of ['dist', 'media', 'README.md']) {
    copy(path.join(root, part), path.join(stage, part));
  }
  const shipped = Object.fromEntries(Object.entries(manifest).filter(([key]) => !NOT_SHIPPED.includes(key)));
  fs.writeFileSync(path.join(stage, 'package.json'), JSON.stringify(shipped, undefined, 2));
  const licences = ['LICENSE-MIT', 'LICENSE-APACHE'].map((file) =>
    fs.readFileSync(path.join(repository, file), 'utf8'),
  );
  const choice = 'MewCode is licensed under either of the two licences below, at your option.';
  fs.writeFileSync(path.join(stage, 'LICENSE.txt'), [choice, ...licences].join(RULE));
  if (values.server !== undefined) {
    const binary = values.target?.startsWith('win32-') === true ? 'mewcode.exe' : 'mewcode';
    fs.mkdirSync(path.join(stage, 'bin'));
    copy(path.resolve(values.server), path.join(stage, 'bin', binary));
    fs.chmodSync(path.join(stage, 'bin', binary), 0o755);
  }
  const target = values.target === undefined ? [] : ['--target', values.target];
  const args = ['package', '--no-dependencies', '--allow-missing-repository', '--out', out, ...target];
  run(path.join(root, 'node_modules/@vscode/vsce/vsce'), args, stage);
} finally {
  fs.rmSync(stage, { recursive: true });
}
const mebibytes = (fs.statSync(out).size / 1024 / 1024).toFixed(1);
console.log(`${path.relative(process.cwd(), out)} (${mebibytes} MiB)`);
