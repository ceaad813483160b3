// Bundles the extension into dist/, and with --tests the tests that run inside VS Code too.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { build, type BuildOptions } from 'esbuild';

const root = path.dirname(import.meta.dirname);
const tests = process.argv.includes('--tests');

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
  logLevel: 'warning',
} satisfies BuildOptions;

await build({ ...common, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.cjs' });
await build({
  ...common,
  platform: 'browser',
  format: 'iife',
  target: 'es2022',
  entryPoints: { transcript: 'src/transcript/page.ts' },
  outdir: 'dist',
});
await build({ ...common, entryPoints: { transcript: 'src/transcript/page.css' }, outdir: 'dist' });
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
