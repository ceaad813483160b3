// Bundles the extension into dist/, and with --tests the tests that run inside VS Code too. --metafile FILE says what is in the bundle.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { build, type BuildOptions } from 'esbuild';

const root = path.dirname(import.meta.dirname);
const { values } = parseArgs({
  options: { tests: { type: 'boolean', default: false }, metafile: { type: 'string' } },
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
  logLevel: 'warning',
} satisfies BuildOptions;

const built = await build({
  ...common,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.cjs',
  metafile: true,
});
if (values.metafile !== undefined) {
  fs.writeFileSync(values.metafile, JSON.stringify(built.metafile));
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
