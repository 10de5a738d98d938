import { maxListedFiles, type TreeEntry } from './contents.js';
import { named, tooLarge } from './refusals.js';

/** The maximum number of entries that are read from a tree: files, and their folders. */
const maxTreeEntries = 2 * maxListedFiles;

const types: ReadonlyMap<string, TreeEntry['type']> = new Map([
  ['100755', 'executable'],
  ['120000', 'symlink'],
  ['040000', 'folder'],
  ['160000', 'submodule'],
]);

/**
 * Returns the type of the entry.
 * @param mode the mode of an entry of a git tree, such as `100644`.
 */
export function typeOfMode(mode: string): TreeEntry['type'] {
  return types.get(mode) ?? 'file';
}

/**
 * @param what the operation and the repository, for messages.
 * @throws TypedError `Invalid` with reason `TooLarge` when the number of entries exceeds the limit.
 */
export function refuseMoreEntries(what: string, count: number): void {
  if (count > maxTreeEntries) throw named(what, tooLarge('the folder', `${maxListedFiles} files`));
}

/** Returns the files and links among the entries, sorted by path. @throws TypedError as {@link refuseMoreEntries}. */
export function filesAmong(what: string, entries: readonly TreeEntry[]): TreeEntry[] {
  const files = entries.filter(({ type }) => type !== 'folder' && type !== 'submodule');
  if (files.length > maxListedFiles) throw named(what, tooLarge('the folder', `${maxListedFiles} files`));
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}
