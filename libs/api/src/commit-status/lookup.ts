import { labels } from '../names.js';
import type { CommitStatus } from './commit-status.js';

/**
 * Returns the CommitStatuses with a key for a commit, without those that are being deleted. Only a single CommitStatus
 * counts; if there are several, none of them does.
 *
 * @param candidates CommitStatuses of one namespace. CommitStatuses of another namespace never count.
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
