import { CommitStatus, fieldManagers, PromotionStrategy, ProposedCommit } from '@interlock/api';
import { applyStatus, type Applier, type Client } from '@interlock/kube';
import type { Caches } from '../indexes.js';
import type { StrategyDecision } from './decide.js';

/** Applies a decision; every call is idempotent. Children first, so that the status never promises what is not there. */
export async function actOnStrategy(
  { client, applier, caches }: { client: Client; applier: Applier; caches: Caches },
  strategy: PromotionStrategy,
  decision: StrategyDecision,
): Promise<void> {
  for (const child of decision.proposedCommits) {
    await applier.apply(ProposedCommit, caches.proposedCommits, child);
  }
  for (const key of decision.obsolete) {
    await client.delete(ProposedCommit, key, { propagationPolicy: 'Background' });
  }
  for (const status of decision.commitStatuses) {
    await applier.apply(CommitStatus, caches.commitStatuses, status);
  }
  await applyStatus(client, PromotionStrategy, strategy, decision.status, {
    fieldManager: fieldManagers.promoter,
  });
}
