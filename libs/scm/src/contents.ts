import { TypedError } from '@interlock/api';
import type { CallOptions } from './call-options.js';

/**
 * Files and commits of a repository through the API of the SCM, without a clone. Every method rejects with a
 * TypedError, or with the reason of the signal. Paths are relative to the root, with `/` between their parts; the
 * path of the root is empty.
 */
export interface RepositoryContents {
  /** Returns the commit at the tip of a branch; undefined if there is no such branch. */
  branchTip(branch: string, options?: CallOptions): Promise<Commit | undefined>;
  /** Returns the direct entries of a folder at a commit; undefined when there is no such folder. Links are not followed. */
  listFolder(commit: string, folder: string, options?: CallOptions): Promise<TreeEntry[] | undefined>;
  /**
   * Returns all files below a folder at a commit, including symbolic links, sorted by path; none when there is no
   * folder.
   * @throws `Invalid` with reason `TooLarge` when there are more than {@link maxListedFiles}.
   */
  listFiles(commit: string, folder: string, options?: CallOptions): Promise<TreeEntry[]>;
  /**
   * @param sha the SHA of the file, as a listing names it.
   * @throws `Invalid` with reason `TooLarge` when it is longer than `maxBytes`, `NotFound`.
   */
  readBlob(sha: string, maxBytes: number, options?: CallOptions): Promise<Buffer>;
  /**
   * Makes one commit with all of the files and points the branch at it, in one step, so that no client sees a part of
   * it.
   *
   * @throws `Conflict` with reason `AlreadyExists` when the branch to create already exists, `HeadMoved` when its tip
   * is not `onto.tip`, `BaseMoved` when the SCM can commit onto the tip of a base only, and a file of the commit has
   * changed there; `Invalid` with reason `BranchMissing` when the branch or the base does not exist, `PathConflict`
   * when a file would replace a folder, or a folder would replace anything else.
   */
  commitFiles(commit: NewCommit, options?: CallOptions): Promise<{ sha: string }>;
  /**
   * Removes a branch whose tip is `tip`; a missing branch counts as removed.
   *
   * @throws `Conflict` with reason `HeadMoved` when its tip is another commit.
   */
  deleteBranch(branch: string, tip: string, options?: CallOptions): Promise<void>;
}

export const maxListedFiles = 50_000;

export interface Commit {
  sha: string;
  /** Without the line breaks at its end. */
  message: string;
  parents: string[];
}

export interface TreeEntry {
  /** From the root. */
  path: string;
  type: 'file' | 'executable' | 'symlink' | 'folder' | 'submodule';
  sha: string;
}

export interface NewCommit {
  /** The branch that will point at the commit. */
  branch: string;
  /**
   * `base`: the branch is created from the commit `sha` of the branch `base` (an SCM that cannot do so creates it from the
   * tip of the base, if the files are the same there). `tip`: the branch exists, and its tip is that commit.
   */
  onto: { base: string; sha: string } | { tip: string };
  message: string;
  /** At least one file; each path is unique. */
  files: readonly NewFile[];
}

export interface NewFile {
  path: string;
  /** Absent to delete the file. */
  contents?: Buffer | undefined;
  /**
   * The file as it was read at the commit that `onto` names; absent if there was none. Its executable bit is kept, and an
   * SCM that compares files instead of commits compares with it.
   */
  previous?: TreeEntry | undefined;
}

export interface ReadFile {
  entry: TreeEntry;
  contents: Buffer;
}

/**
 * Reads a file without following links, either at the path itself or in the folders above it.
 *
 * @returns undefined when there is no such file.
 * @throws TypedError `Invalid` with reason `SymbolicLink` when a part of the path is a symbolic link, `NotAFile` when
 *   the path names a folder or a submodule, `TooLarge`.
 */
export async function readFile(
  contents: Pick<RepositoryContents, 'listFolder' | 'readBlob'>,
  commit: string,
  path: string,
  maxBytes: number,
  options?: CallOptions,
): Promise<ReadFile | undefined> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const part = parts.slice(0, depth).join('/');
    const siblings = await contents.listFolder(commit, parts.slice(0, depth - 1).join('/'), options);
    const entry = siblings?.find((sibling) => sibling.path === part);
    if (entry === undefined) return undefined;
    if (entry.type === 'symlink') {
      throw new TypedError(
        'Invalid',
        `${JSON.stringify(part)} is a symbolic link; name the file it points to`,
        {
          reason: 'SymbolicLink',
        },
      );
    }
    const isFile = entry.type === 'file' || entry.type === 'executable';
    if (depth === parts.length && isFile) {
      return { entry, contents: await contents.readBlob(entry.sha, maxBytes, options) };
    }
    if (depth === parts.length || entry.type === 'submodule') {
      throw new TypedError('Invalid', `${JSON.stringify(part)} is a ${entry.type}, not a file`, {
        reason: 'NotAFile',
      });
    }
    if (isFile) return undefined;
  }
  return undefined;
}
