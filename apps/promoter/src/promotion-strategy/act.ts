import { CommitStatus, keyOf, PromotionStrategy, ProposedCommit } from '@interlock/api';
import type { Shared } from '../shared.js';
import { countTransitions } from '../transitions.js';
import type { StrategyDecision } from './decide.js';

/** Applies a decision; every call is idempotent. Children first, so that the status never promises what is not there. */
export async function actOnStrategy(
  shared: Shared,
  strategy: PromotionStrategy,
  decision: StrategyDecision,
): Promise<void> {
  const { manager, applier, caches, statuses } = shared;
  for (const child of decision.proposedCommits) {
    await applier.apply(ProposedCommit, caches.proposedCommits, child);
  }
  for (const key of decision.obsolete) {
    await manager.client.delete(ProposedCommit, key, { propagationPolicy: 'Background' });
  }
  for (const status of decision.commitStatuses) {
    await applier.apply(CommitStatus, caches.commitStatuses, status);
  }
  await statuses.write(PromotionStrategy, strategy, decision.status);
  countTransitions(shared, keyOf(strategy), decision.transitions);
}
