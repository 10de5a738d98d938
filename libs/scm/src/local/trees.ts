import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TypedError } from '@interlock/api';
import type { NewFile, TreeEntry } from '../contents.js';
import { typeOfMode } from '../tree.js';
import type { LocalGit } from './git.js';
import { absent, writeBlob } from './objects.js';

/** Treats paths literally, not as patterns. */
const literal = { GIT_LITERAL_PATHSPECS: '1' };

/**
 * @param tree a tree or a commit.
 * @param options for `git ls-tree`.
 * @param paths the paths of the requested entries; with a slash at the end, the content of that folder. Empty for
 *   all.
 */
export async function listTree(
  git: LocalGit,
  tree: string,
  options: readonly string[],
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<TreeEntry[]> {
  const args = ['ls-tree', '-z', '--full-tree', ...options, tree, '--', ...paths] as const;
  const { stdout } = await git.run(args, { env: literal, signal });
  return stdout
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , sha = ''] = line.slice(0, tab).split(' ');
      return { path: line.slice(tab + 1), type: typeOfMode(mode), sha };
    });
}

/** Returns the tree of the commit with the files, made in a temporary index. */
export async function changeTree(
  git: LocalGit,
  commit: string,
  files: readonly NewFile[],
  signal?: AbortSignal,
): Promise<string> {
  const lines: string[] = [];
  for (const { path, contents, previous } of files) {
    const mode = previous?.type === 'executable' ? '100755' : '100644';
    const entry =
      contents === undefined ? `0 ${absent}` : `${mode} ${await writeBlob(git, contents, signal)}`;
    lines.push(`${entry}\t${path}\0`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'interlock-index-'));
  const env = { GIT_INDEX_FILE: join(folder, 'index') };
  try {
    await git.run(['read-tree', commit], { env, signal });
    await git.run(['update-index', '-z', '--index-info'], { env, input: lines.join(''), signal });
    const tree = await git.text(['write-tree'], { env, signal });
    await requireTaken(git, tree, files, signal);
    return tree;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Checks that git accepted all paths: it silently skips those that are dangerous on some systems. @throws TypedError
 * `Invalid` naming the first of them.
 */
async function requireTaken(
  git: LocalGit,
  tree: string,
  files: readonly NewFile[],
  signal?: AbortSignal,
): Promise<void> {
  const written = files.filter(({ contents }) => contents !== undefined).map(({ path }) => path);
  if (written.length === 0) return;
  const taken = new Set((await listTree(git, tree, [], written, signal)).map(({ path }) => path));
  const passed = written.find((path) => !taken.has(path));
  if (passed === undefined) return;
  throw new TypedError('Invalid', `${JSON.stringify(passed)} is not a path that git accepts`, {
    reason: 'PathInvalid',
  });
}
