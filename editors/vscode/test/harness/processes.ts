// The servers that a workbench has started, as the system lists processes: its own word is not taken for it. Linux only, as the
// workbench of the tests is.

import * as fs from 'node:fs';

export interface ServerProcess {
  pid: number;
  /** The binary. */
  file: string;
}

/** Those whose home folder is the workbench's. The helpers that they start have other arguments. */
export function serversOf(home: string): ServerProcess[] {
  const found: ServerProcess[] = [];
  for (const name of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const read = (file: string): string[] => fs.readFileSync(`/proc/${name}/${file}`, 'utf8').split('\0');
      if (read('cmdline')[1] === 'lsp' && read('environ').includes(`HOME=${home}`)) {
        found.push({ pid: Number(name), file: fs.readlinkSync(`/proc/${name}/exe`) });
      }
    } catch {
      // It has ended meanwhile, or is another user's.
    }
  }
  return found;
}
