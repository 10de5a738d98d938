import { labels } from '../names.js';
import type { CommitStatus } from './commit-status.js';

/**
 * @param candidates CommitStatuses of one namespace: those of another never count.
 * @returns the CommitStatuses with a key for a commit that are not being deleted. Exactly one is an answer; with more,
 *   nobody can tell whom to believe.
 */
export function commitStatusesFor(
  candidates: readonly CommitStatus[],
  key: string,
  sha: string | undefined,
): CommitStatus[] {
  return candidates.filter(
    ({ spec, metadata }) =>
      spec.sha === sha &&
      metadata.labels?.[labels.commitStatusKey] === key &&
      metadata.deletionTimestamp === undefined,
  );
}
