import { TypedError } from '@interlock/api';

export interface TreeEntry {
  /** Octal, without the zeros that old clients wrote before it: `40000` (tree), `100644`, `100755`, `120000` (symbolic link), `160000` (submodule). */
  mode: string;
  sha: string;
}

/** Entries by name. */
export type Tree = ReadonlyMap<string, TreeEntry>;

export const treeMode = '40000';
const idBytes = 20;

/** Returns the entries of a raw tree object. @throws TypedError `Invalid` for a malformed tree. */
export function parseTree(sha: string, content: Buffer): Tree {
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const zero = content.indexOf(0, at);
    if (space < 0 || zero < space || zero + idBytes >= content.length) {
      throw new TypedError('Invalid', `object ${sha} is not a well-formed tree`, { reason: 'TreeInvalid' });
    }
    entries.set(content.toString('utf8', space + 1, zero), {
      mode: modeOf(content.subarray(at, space)),
      sha: content.toString('hex', zero + 1, zero + 1 + idBytes),
    });
    at = zero + 1 + idBytes;
  }
  return entries;
}

function modeOf(digits: Buffer): string {
  return digits.toString('latin1').replace(/^0+/, '');
}

export function isTree(entry: TreeEntry | undefined): entry is TreeEntry & { mode: typeof treeMode } {
  return entry?.mode === treeMode;
}

/**
 * Returns the raw tree `content` with `name` being the tree `sha`, replacing any entry of that name. The other
 * entries keep their bytes, in git's order (names compared as bytes, and the names of trees as if they ended in `/`).
 */
export function spliceTree(content: Buffer, name: string, sha: string): Buffer {
  const added = Buffer.concat([Buffer.from(`${treeMode} ${name}\0`), Buffer.from(sha, 'hex')]);
  const slices = entrySlices(content).filter((slice) => !nameOf(slice).equals(Buffer.from(name)));
  const at = slices.findIndex((slice) => sortKey(slice).compare(sortKey(added)) > 0);
  slices.splice(at < 0 ? slices.length : at, 0, added);
  return Buffer.concat(slices);
}

function entrySlices(content: Buffer): Buffer[] {
  const slices: Buffer[] = [];
  for (let at = 0; at < content.length;) {
    const end = content.indexOf(0, at) + 1 + idBytes;
    slices.push(content.subarray(at, end));
    at = end;
  }
  return slices;
}

function nameOf(slice: Buffer): Buffer {
  return slice.subarray(slice.indexOf(0x20) + 1, slice.indexOf(0));
}

function sortKey(slice: Buffer): Buffer {
  const isTreeEntry = modeOf(slice.subarray(0, slice.indexOf(0x20))) === treeMode;
  return isTreeEntry ? Buffer.concat([nameOf(slice), Buffer.from('/')]) : nameOf(slice);
}
