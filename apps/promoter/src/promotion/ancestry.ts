import { isTyped } from '@interlock/api';
import type { Commit, HistoryReader } from '@interlock/git';

/**
 * Returns a commit that a text names, or undefined when the text is not the id of a commit of the repository.
 * @throws TypedError of the git layer.
 */
export function findCommit(mirror: HistoryReader, sha: string): Promise<Commit | undefined> {
  return orUnknown(mirror.commit(sha));
}

/** Returns whether one commit comes before another; undefined when the repository does not have one of them. */
export function isAncestor(
  mirror: HistoryReader,
  ancestor: string,
  descendant: string,
): Promise<boolean | undefined> {
  return orUnknown(mirror.isAncestor(ancestor, descendant));
}

async function orUnknown<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isTyped(error, 'NotFound', 'Invalid')) return undefined;
    throw error;
  }
}
