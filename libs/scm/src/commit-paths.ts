import { TypedError } from '@interlock/api';
import type { CallOptions } from './call-options.js';
import type { NewCommit, RepositoryContents, TreeEntry } from './contents.js';
import { named, pathConflict } from './refusals.js';

/**
 * Refuses paths that SCMs would change, such as `a//b` and `../b`, and paths by which a file would be replaced by a folder,
 * which some SCMs do silently.
 *
 * @param what for messages, such as `commit to fix of acme/web`.
 * @throws TypedError `Invalid` with reason `PathInvalid` or `PathConflict`.
 */
export async function refusePaths(
  contents: RepositoryContents,
  what: string,
  { files, onto }: NewCommit,
  options?: CallOptions,
): Promise<void> {
  const invalid = files.find(({ path }) => !isPlainPath(path));
  if (invalid !== undefined) {
    throw new TypedError('Invalid', `${what}: ${JSON.stringify(invalid.path)} is not the path of a file`, {
      reason: 'PathInvalid',
    });
  }
  const written = files.filter((file) => file.contents !== undefined);
  const deleted = new Set(files.filter((file) => file.contents === undefined).map(({ path }) => path));
  const paths = new Set(written.map(({ path }) => path));
  const list = folderReader(contents, 'tip' in onto ? onto.tip : onto.sha, options);
  for (const { path, previous } of written) {
    const inTheWay = foldersAbove(path).find((folder) => paths.has(folder));
    if (inTheWay !== undefined) throw named(what, pathConflict(path, inTheWay));
    if (previous !== undefined) continue;
    const met = await firstObstacle(list, path);
    if (met !== undefined && !deleted.has(met)) throw named(what, pathConflict(path, met));
  }
}

type ListFolder = (folder: string) => Promise<TreeEntry[] | undefined>;

/** Returns the path that blocks a new file: a folder at its path, or a non-folder above it. */
async function firstObstacle(list: ListFolder, path: string): Promise<string | undefined> {
  let parent = '';
  for (const part of [...foldersAbove(path), path]) {
    const entry = (await list(parent))?.find((sibling) => sibling.path === part);
    if (entry === undefined) return undefined;
    if ((entry.type === 'folder') === (part === path)) return part;
    parent = part;
  }
  return undefined;
}

/** Returns a function that lists folders, and reads each of them once. */
function folderReader(contents: RepositoryContents, commit: string, options?: CallOptions): ListFolder {
  const known = new Map<string, Promise<TreeEntry[] | undefined>>();
  return (folder) => {
    const listed = known.get(folder) ?? contents.listFolder(commit, folder, options);
    known.set(folder, listed);
    return listed;
  };
}

/** Returns the folders above a path: `a` and `a/b` of `a/b/c`. */
function foldersAbove(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function isPlainPath(path: string): boolean {
  return (
    path.split('/').every((part) => part !== '' && !/^(\.|\.\.|\.git)$/i.test(part)) && !path.includes('\0')
  );
}
