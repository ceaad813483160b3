// Bundles the extension into dist/, and with --tests the tests that run inside VS Code too. --parts FILE names the sources that went in.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { build, type BuildOptions } from 'esbuild';

const root = path.dirname(import.meta.dirname);
const { values } = parseArgs({
  options: { tests: { type: 'boolean', default: false }, parts: { type: 'string' } },
});
const { tests } = values;

fs.rmSync(path.join(root, 'dist'), { recursive: true, force: true });
// Loads every test file, when Mocha is ready for it.
const hostTests = fs
  .readdirSync(path.join(root, 'test/host'))
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `require('./${file}');`)
  .join('\n');

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Mocha finds its own parts by their paths.
  external: ['vscode', 'mocha'],
  sourcemap: tests,
  minify: !tests,
  legalComments: 'linked',
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

const browser = {
  ...common,
  platform: 'browser',
  format: 'iife',
  target: 'es2022',
  outdir: 'dist',
} satisfies BuildOptions;

const shipped = [
  await build({ ...common, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.cjs' }),
  await build({ ...browser, entryPoints: { transcript: 'src/transcript/page.ts' } }),
  await build({ ...browser, entryPoints: { transcript: 'src/transcript/page.css' } }),
];
if (values.parts !== undefined) {
  fs.writeFileSync(
    values.parts,
    JSON.stringify(shipped.flatMap(({ metafile }) => Object.keys(metafile.inputs))),
  );
}
if (tests) {
  await build({
    ...common,
    stdin: {
      contents: `exports.run = () => require('./runner.ts').runTests(() => {\n${hostTests}\n});`,
      resolveDir: path.join(root, 'test/host'),
    },
    outfile: 'dist/host-tests.cjs',
  });
}
