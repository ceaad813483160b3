// Do the extension and the server fit together? Judged by the server's answer to `initialize`. Pure.

import type { InitializeResult } from 'vscode-languageclient';

/** What this extension is. */
export interface Own {
  /** The version of the package. */
  version: string;
  /** The version of the own methods. */
  protocol: number;
}

export interface Judgement {
  /** Why they cannot work together: nothing is to be run. */
  fault?: string;
  /** They can, and the user should know this. */
  notice?: string;
}

const UPDATE_EXTENSION = 'Update the extension.';
const UPDATE_SERVER =
  'Update the server, or clear “mewcode.server.path” and remove the old one from PATH to use the one that comes with the extension.';

export function judge(result: InitializeResult, command: string, own: Own): Judgement {
  const experimental: unknown = result.capabilities.experimental;
  const said = member(member(experimental, 'mewcode'), 'version');
  const name = result.serverInfo?.name;
  const version = result.serverInfo?.version;
  if (typeof said !== 'number') {
    const who = name === undefined ? 'some other server' : `the server “${name}”`;
    return {
      fault: `${command} is ${who}, not one that speaks MewCode’s protocol. Correct “mewcode.server.path”, or update the server if it is a very old one.`,
    };
  }
  if (said !== own.protocol) {
    const what = `The server ${version ?? ''} (${command}) speaks version ${said} of MewCode’s protocol, this extension version ${own.protocol}.`;
    return { fault: `${what} ${said > own.protocol ? UPDATE_EXTENSION : UPDATE_SERVER}` };
  }
  if (version !== undefined && version !== own.version) {
    const what = `The server (${command}) has version ${version}, the extension ${own.version}. They work together, but belong to different releases.`;
    return { notice: `${what} ${isNewer(version, own.version) ? UPDATE_EXTENSION : UPDATE_SERVER}` };
  }
  return {};
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Is the first of two versions the newer one? What follows a hyphen does not count. */
function isNewer(one: string, other: string): boolean {
  const numbers = (version: string) => (version.split('-')[0] ?? '').split('.').map(Number);
  const [left, right] = [numbers(one), numbers(other)];
  for (let place = 0; place < Math.max(left.length, right.length); place++) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0);
    if (difference !== 0) {
      return difference > 0;
    }
  }
  return false;
}
