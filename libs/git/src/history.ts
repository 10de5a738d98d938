import type { Commit } from './objects/commit.js';

export interface Cancellable {
  signal?: AbortSignal | undefined;
}

/** The history of a repository, or of one folder of it (`Mirror.at`): commits with their content. */
export interface HistoryReader {
  /**
   * Returns the commit; its tree is the tree of the folder. @throws TypedError `NotFound` when the remote does not
   * have it either.
   */
  commit(sha: string, options?: Cancellable): Promise<Commit>;
  /**
   * Returns the file at `path`, seen from the folder, or undefined when there is no file. A symbolic link is a file that
   * contains its target.
   * @throws TypedError `Invalid` (`ObjectTooLarge`) above `maxBytes`, 1 MiB by default.
   */
  file(sha: string, path: string, options?: Cancellable & { maxBytes?: number }): Promise<Buffer | undefined>;
  /**
   * Returns ids of the commit and its first parents, newest first, at most `limit`; for a folder, only the commits
   * that changed it.
   */
  firstParents(sha: string, limit: number, options?: Cancellable): Promise<string[]>;
  /** Returns whether `ancestor` can be reached from `descendant` through parents; a commit is its own ancestor. */
  isAncestor(ancestor: string, descendant: string, options?: Cancellable): Promise<boolean>;
  /** Returns the note on an object in the notes commit `notesSha` (what a notes reference points at), or undefined. */
  note(notesSha: string, objectSha: string, options?: Cancellable): Promise<string | undefined>;
  /** Returns the id of the whole tree of a commit in which the folder is `tree`. */
  whole(sha: string, tree: string, options?: Cancellable): Promise<string>;
}
