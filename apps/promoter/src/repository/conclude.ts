import { isTyped, type GitRepository } from '@interlock/api';
import { Failure, markReady, markReconciling, type Conclusion } from '@interlock/kube';
import type { ObservedGitRepository, RefreshDecision } from './decide.js';

const reachable = { reason: 'Reachable', message: 'the remote repository is reachable' };

/** Returns the status after a read of the remote, successful or not. Pure; `now` in milliseconds since the epoch. */
export function concludeGitRepository(
  { gitRepository: { metadata, status } }: Pick<ObservedGitRepository, 'gitRepository'>,
  { pollAfterMs }: RefreshDecision,
  outcome: Failure | undefined,
  now: number,
): Conclusion<GitRepository> {
  const { generation } = metadata;
  if (!(outcome instanceof Failure)) {
    const conditions = markReady(status?.conditions, reachable, generation, now);
    return { status: { observedGeneration: generation, conditions }, requeueAfterMs: pollAfterMs };
  }
  const { error } = outcome;
  const conditions = markReconciling(status?.conditions, error, generation, now);
  /* The object to fix, such as a Secret, is not always watched, so the remote is polled as usual. */
  const requeueAfterMs = isTyped(error, 'Transient', 'RateLimited') ? undefined : pollAfterMs;
  return { status: { observedGeneration: generation, conditions }, requeueAfterMs };
}
