import type { GitRepository } from '@interlock/api';

/** What a decision about a GitRepository depends on. */
export interface ObservedGitRepository {
  gitRepository: GitRepository;
  /** Random, uniform in [0, 1). */
  chance: number;
}

/** The remote is read now, and again later. */
export interface RefreshDecision {
  /** Milliseconds until the remote is read again if no webhook arrives. */
  pollAfterMs: number;
}

/**
 * Decides when a remote is read again: after 90 % to 110 % of the interval, so that repositories are not all read at the
 * same time. Pure.
 *
 * @param pollIntervalMs milliseconds between two reads of a remote.
 */
export function decideRefresh(
  { chance }: Pick<ObservedGitRepository, 'chance'>,
  pollIntervalMs: number,
): RefreshDecision {
  return { pollAfterMs: Math.round(pollIntervalMs * (0.9 + 0.2 * chance)) };
}
