import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { noCommit, type BareRepository } from './bare-repository.js';

export interface TreeEntry {
  path: string;
  mode: '100644' | '100755' | '040000' | '160000' | '120000';
  type: 'blob' | 'tree' | 'commit';
  sha: string;
  /** Size in bytes; only for blobs. */
  size?: number;
}

/** A file or folder to add to a tree, or to remove from it if `sha` is absent. */
export interface TreeChange {
  path: string;
  mode: TreeEntry['mode'];
  sha: string | null;
}

/** Returns the entries of a tree or, with `recursive`, all entries below it including trees. */
export async function listTree(
  repository: BareRepository,
  tree: string,
  { recursive = false, path }: { recursive?: boolean; path?: string } = {},
): Promise<TreeEntry[]> {
  const options = ['--long', '-z', '--full-tree', ...(recursive ? ['-r', '-t'] : [])];
  const output = await repository.run([
    'ls-tree',
    ...options,
    tree,
    ...(path === undefined ? [] : ['--', path]),
  ]);
  return output
    .split('\0')
    .filter((line) => line !== '')
    .map(parseEntry);
}

function parseEntry(line: string): TreeEntry {
  const tab = line.indexOf('\t');
  const [mode, type, sha = '', size] = line.slice(0, tab).split(/ +/) as [
    TreeEntry['mode'],
    TreeEntry['type'],
    string?,
    string?,
  ];
  const entry = { path: line.slice(tab + 1), mode, type, sha };
  return type === 'blob' ? { ...entry, size: Number(size) } : entry;
}

/** Returns whether git accepts a file at this path: relative, without segments that lead outside or into `.git`. */
export function isTreePath(path: string): boolean {
  return (
    path.split('/').every((part) => part !== '' && !/^(\.|\.\.|\.git)$/i.test(part)) && !path.includes('\0')
  );
}

/**
 * Creates a tree from another tree with changes, through a temporary index.
 *
 * @param temporary folder for the index.
 * @param base if absent, the empty tree.
 * @param changes with paths that `isTreePath` accepts; git silently ignores others.
 * @throws GitError when an object is missing
 */
export async function changeTree(
  repository: BareRepository,
  temporary: string,
  { base, changes }: { base?: string | undefined; changes: readonly TreeChange[] },
): Promise<string> {
  const folder = await mkdtemp(join(temporary, 'index-'));
  const env = { GIT_INDEX_FILE: join(folder, 'index') };
  try {
    await repository.run(['read-tree', base ?? '--empty'], { env });
    const present = (await repository.run(['ls-files', '-z'], { env })).split('\0');
    const lines: string[] = [];
    for (const change of changes) {
      const below = `${change.path}/`;
      if (change.sha === null || change.mode === '040000') {
        const gone = present.filter((name) => name === change.path || name.startsWith(below));
        lines.push(...gone.map((name) => `0 ${noCommit}\t${name}`));
      }
      if (change.sha !== null) lines.push(...(await filesOf(repository, { ...change, sha: change.sha })));
    }
    const input = lines.map((line) => `${line}\0`).join('');
    await repository.run(['update-index', '-z', '--index-info'], { env, input });
    return await repository.run(['write-tree'], { env });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns lines for `git update-index`: the file, or the files below the folder. */
async function filesOf(
  repository: BareRepository,
  { path, mode, sha }: { path: string; mode: TreeEntry['mode']; sha: string },
): Promise<string[]> {
  if (mode !== '040000') return [`${mode} ${sha}\t${path}`];
  const entries = await listTree(repository, sha, { recursive: true });
  return entries
    .filter(({ type }) => type !== 'tree')
    .map((entry) => `${entry.mode} ${entry.sha}\t${path}/${entry.path}`);
}
