import { Problem } from '@interlock/base';
import { Failure, problemStatus, type Conclusion, type StatusOf } from '@interlock/kube';
import type { Source, SourceDecision } from './model.js';

/**
 * Returns the status of a source, which lists only CommitStatuses that exist. A failure to write them that lasts is a
 * condition, because users would otherwise see events only. Pure; `now` in milliseconds since the epoch.
 */
export function concludeSource<S extends Source>(
  source: S,
  { status, requeueAfterMs }: SourceDecision<StatusOf<S>>,
  outcome: Failure | undefined,
  now: number,
): Conclusion<S> {
  if (!(outcome instanceof Failure)) return { status, requeueAfterMs };
  const { error, lasts } = outcome;
  if (!lasts || error.type === 'Conflict') return {};
  return { status: problemStatus(source, new Problem(error.reason, error.message), now) };
}
