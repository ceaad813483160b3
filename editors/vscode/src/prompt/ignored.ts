// What git leaves out of a folder by its rules, wherever they stand, as git itself tells. Knows nothing of VS Code.

import { execFile } from 'node:child_process';

/** A folder that takes longer is shown with what git would leave out. */
const PATIENCE_MILLISECONDS = 5000;
const MOST_BYTES = 64 * 1024 * 1024;

const LIST = [
  // A repository may name a program to be run for its status.
  ...['-c', 'core.fsmonitor=false'],
  ...['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'],
];

/**
 * Whether a path is ignored: one of those that git does not track. Without git, or outside of a repository, none is.
 *
 * @param folder where to look, as the system spells it
 * @param root the same folder as the paths begin, with `/` between their parts
 */
export async function ignored(
  folder: string,
  root: string,
  signal: AbortSignal,
): Promise<(path: string) => boolean> {
  const told = await new Promise<string>((resolve) => {
    const options = { signal, timeout: PATIENCE_MILLISECONDS, maxBuffer: MOST_BYTES };
    // Not begun in the folder: Windows would take a git that lies there.
    execFile('git', ['-C', folder, ...LIST], options, (error, output) => {
      // Half a list would leave out some of them only.
      resolve(error ? '' : output);
    });
  });
  return judge(root, told.split('\0'));
}

/** A folder's name ends in a slash, and stands for all that is in it. */
function judge(root: string, names: readonly string[]): (path: string) => boolean {
  const base = root.endsWith('/') ? root : `${root}/`;
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const name of names.filter((one) => one !== '')) {
    (name.endsWith('/') ? folders : files).add(base + name);
  }
  return (path) => {
    if (files.has(path)) {
      return true;
    }
    for (let slash = path.indexOf('/', base.length); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      if (folders.has(path.slice(0, slash + 1))) {
        return true;
      }
    }
    return false;
  };
}
