import type { PromotionStrategy, RevertCommit } from '@interlock/api';
import { Failure, type ApplyConfiguration, type Conclusion, type EventInput } from '@interlock/kube';
import { failedStatus } from '../failed-status.js';
import type { StrategyDecision } from './decide.js';
import type { ObservedStrategy } from './observed.js';

/**
 * Returns the status after the act. Pure; `now` in milliseconds since the epoch.
 *
 * @param outcome the RevertCommits that were created.
 */
export function concludeStrategy(
  { strategy }: Pick<ObservedStrategy, 'strategy'>,
  { status, requeueAfterMs }: StrategyDecision,
  outcome: readonly ApplyConfiguration[] | Failure,
  now: number,
): Conclusion<PromotionStrategy> {
  /* The status must not report children that do not exist. */
  if (outcome instanceof Failure) return { status: failedStatus(strategy, strategy.status, outcome, now) };
  return { status, requeueAfterMs, happened: outcome.map(revertBegun) };
}

function revertBegun({ metadata, spec }: ApplyConfiguration): EventInput {
  const { reason = '' } = spec as RevertCommit['spec'];
  const note = `RevertCommit ${metadata.name}: ${reason}`;
  return { type: 'Normal', reason: 'RevertBegun', action: 'Promote', note };
}
