// Which binary is the server: the one of the settings, else the first on PATH, else the one that comes with the extension.
// Pure but for the one question whether a file can be run, which is asked by a function that is given.

import * as path from 'node:path';

/** Where to look. */
export interface Places {
  /** `mewcode.server.path`; empty if it is not set. */
  setting: string;
  /** The variable PATH of the process that starts the server. */
  searchPath: string;
  home: string;
  windows: boolean;
  /** The folder of the extension. */
  extension: string;
  canRun: (file: string) => boolean;
}

export interface Located {
  command: string;
  from: 'settings' | 'PATH' | 'extension';
}

/** There is no server to start. The message says what to do. */
export class NotFound extends Error {}

/**
 * The server's binary. A setting that names none is an error: whoever set it wants that one and no other. Folders of PATH that
 * are not absolute are left out, or a workspace could bring its own server along.
 */
export function locate(places: Places): Located {
  const { canRun, windows } = places;
  const paths = windows ? path.win32 : path.posix;
  const setting = places.setting.trim();
  if (setting !== '') {
    const command = /^~[/\\]/.test(setting) ? paths.join(places.home, setting.slice(2)) : setting;
    if (!paths.isAbsolute(command)) {
      throw new NotFound(
        `The setting “mewcode.server.path” is “${setting}”. Write the whole path of the server, from the root or with ~/.`,
      );
    }
    if (!canRun(command)) {
      throw new NotFound(
        `The setting “mewcode.server.path” names ${command}, where there is no file that can be run. Correct the path, or clear it to use the server on PATH.`,
      );
    }
    return { command, from: 'settings' };
  }
  const name = windows ? 'mewcode.exe' : 'mewcode';
  const folders = places.searchPath.split(paths.delimiter).filter((folder) => paths.isAbsolute(folder));
  const found = folders.map((folder) => paths.join(folder, name)).find(canRun);
  if (found !== undefined) {
    return { command: found, from: 'PATH' };
  }
  const bundled = paths.join(places.extension, 'bin', name);
  if (canRun(bundled)) {
    return { command: bundled, from: 'extension' };
  }
  throw new NotFound(
    `The server “${name}” was not found. Install it so that it is on PATH (in MewCode’s sources: cargo install --locked --path server/lsp), or set “mewcode.server.path”. Searched: ${[...folders, paths.dirname(bundled)].join(paths.delimiter)}`,
  );
}
