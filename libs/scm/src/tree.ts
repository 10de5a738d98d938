import { TypedError } from '@interlock/api';
import { maxListedFiles, type TreeEntry } from './contents.js';

/** What is read of a tree at most: files, and the folders that they are in. */
export const maxTreeEntries = 2 * maxListedFiles;

/** @param mode of an entry of a git tree, such as `100644`. @returns what it stands for. */
export function typeOfMode(mode: string): TreeEntry['type'] {
  switch (mode) {
    case '100755':
      return 'executable';
    case '120000':
      return 'symlink';
    case '040000':
      return 'folder';
    case '160000':
      return 'submodule';
    default:
      return 'file';
  }
}

/**
 * @param what for the message, such as `list files of acme/web`.
 * @returns the files and links among the entries, sorted by path.
 * @throws TypedError `Invalid` with reason `TooLarge`.
 */
export function filesAmong(what: string, entries: readonly TreeEntry[]): TreeEntry[] {
  const files = entries.filter(({ type }) => type !== 'folder' && type !== 'submodule');
  if (files.length > maxListedFiles) throw tooManyFiles(what);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function tooManyFiles(what: string): TypedError {
  return new TypedError('Invalid', `${what}: more than ${maxListedFiles} files`, { reason: 'TooLarge' });
}

export function tooLargeBlob(what: string, maxBytes: number): TypedError {
  return new TypedError('Invalid', `${what}: it is longer than ${maxBytes} bytes`, { reason: 'TooLarge' });
}

/** @returns bytes that an answer has at most that holds so many in base64, with line breaks and what else it says. */
export function answerBytes(maxBytes: number): number {
  return 2 * maxBytes + 65_536;
}
