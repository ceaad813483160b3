// What a zip file has in it, by its own directory of contents.

import * as fs from 'node:fs';

const END = 0x06054b50;
const END_BYTES = 22;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;

export interface Entry {
  name: string;
  bytes: number;
  /** The permissions of a file of Unix. */
  mode: number;
}

export function entries(file: string): Entry[] {
  const data = fs.readFileSync(file);
  let end = data.length - END_BYTES;
  while (data.readUInt32LE(end) !== END) {
    end--;
  }
  const found: Entry[] = [];
  let at = data.readUInt32LE(end + 16);
  while (data.readUInt32LE(at) === ENTRY) {
    const lengths = [28, 30, 32].map((place) => data.readUInt16LE(at + place));
    const [name = 0, extra = 0, comment = 0] = lengths;
    const start = at + ENTRY_BYTES;
    found.push({
      name: data.toString('utf8', start, start + name),
      bytes: data.readUInt32LE(at + 24),
      mode: (data.readUInt32LE(at + 38) >>> 16) & 0o777,
    });
    at = start + name + extra + comment;
  }
  return found;
}
