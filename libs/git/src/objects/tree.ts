import { TypedError } from '@interlock/api';

export interface TreeEntry {
  /** Octal, without the zeros that old clients wrote before it: `40000` (tree), `100644`, `100755`, `120000` (symbolic link), `160000` (submodule). */
  mode: string;
  sha: string;
}

export const treeMode = '40000';
const idBytes = 20;
const slash = Buffer.from('/');

/** The positions of an entry in the content of a tree. */
interface Span {
  start: number;
  /** The byte before the name. */
  space: number;
  /** The byte after the name. */
  zero: number;
  end: number;
}

/**
 * Returns an entry of the raw tree `content`, without parsing the others: a folder may have hundreds of thousands of files.
 * @throws TypedError `Invalid` for a malformed tree.
 */
export function findEntry(sha: string, content: Buffer, name: string): TreeEntry | undefined {
  const wanted = Buffer.from(name);
  let found: TreeEntry | undefined;
  for (const span of spansOf(sha, content)) {
    if (!isNamed(content, span, wanted)) continue;
    found = {
      mode: modeAt(content, span),
      sha: content.toString('hex', span.zero + 1, span.end),
    };
  }
  return found;
}

export function isTree(entry: TreeEntry | undefined): entry is TreeEntry & { mode: typeof treeMode } {
  return entry?.mode === treeMode;
}

/**
 * Returns the raw tree `content` with `name` being the tree `subtree`, replacing any entry of that name. The other
 * entries keep their bytes, in git's order (names compared as bytes, and the names of trees as if they ended in `/`).
 * @throws TypedError `Invalid` for a malformed tree.
 */
export function spliceTree(sha: string, content: Buffer, name: string, subtree: string): Buffer {
  const nameBytes = Buffer.from(name);
  const key = Buffer.concat([nameBytes, slash]);
  const added = Buffer.concat([Buffer.from(`${treeMode} ${name}\0`), Buffer.from(subtree, 'hex')]);
  const parts: Buffer[] = [];
  let from = 0;
  let isAdded = false;
  for (const span of spansOf(sha, content)) {
    if (isNamed(content, span, nameBytes)) {
      parts.push(content.subarray(from, span.start));
      from = span.end;
    } else if (!isAdded && sortKey(content, span).compare(key) > 0) {
      parts.push(content.subarray(from, span.start), added);
      from = span.start;
      isAdded = true;
    }
  }
  parts.push(content.subarray(from));
  if (!isAdded) parts.push(added);
  return Buffer.concat(parts);
}

function* spansOf(sha: string, content: Buffer): Generator<Span> {
  for (let start = 0; start < content.length;) {
    const space = content.indexOf(0x20, start);
    const zero = content.indexOf(0, start);
    const end = zero + 1 + idBytes;
    if (space < 0 || zero < space || end > content.length) {
      throw new TypedError('Invalid', `object ${sha} is not a well-formed tree`, { reason: 'TreeInvalid' });
    }
    yield { start, space, zero, end };
    start = end;
  }
}

function isNamed(content: Buffer, { space, zero }: Span, name: Buffer): boolean {
  return zero - space - 1 === name.length && content.compare(name, 0, name.length, space + 1, zero) === 0;
}

function modeAt(content: Buffer, { start, space }: Span): string {
  return content.toString('latin1', start, space).replace(/^0+/, '');
}

function sortKey(content: Buffer, span: Span): Buffer {
  const name = content.subarray(span.space + 1, span.zero);
  return modeAt(content, span) === treeMode ? Buffer.concat([name, slash]) : name;
}
