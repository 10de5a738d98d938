import type { PromotionStrategy, RevertCommit } from '@interlock/api';
import { Failure, type ApplyConfiguration, type Conclusion, type EventInput } from '@interlock/kube';
import type { StrategyDecision } from './decide.js';

/** Returns the status after the act. Pure. @param outcome the RevertCommits that were created. */
export function concludeStrategy(
  { status, requeueAfterMs }: StrategyDecision,
  outcome: readonly ApplyConfiguration[] | Failure,
): Conclusion<PromotionStrategy> {
  /* The status must not report children that do not exist. */
  if (outcome instanceof Failure) return {};
  return { status, requeueAfterMs, happened: outcome.map(revertBegun) };
}

function revertBegun({ metadata, spec }: ApplyConfiguration): EventInput {
  const { reason = '' } = spec as RevertCommit['spec'];
  const note = `RevertCommit ${metadata.name}: ${reason}`;
  return { type: 'Normal', reason: 'RevertBegun', action: 'Promote', note };
}
