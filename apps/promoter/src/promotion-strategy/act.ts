import {
  CommitStatus,
  fieldManagers,
  keyOf,
  PromotionStrategy,
  ProposedCommit,
  RevertCommit,
} from '@interlock/api';
import { isAlreadyExists, type ApplyConfiguration, type Client } from '@interlock/kube';
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
  for (const revert of decision.reverts.create) {
    if (await created(manager.client, revert)) {
      statuses.done(strategy, 'RevertBegun', `RevertCommit ${revert.metadata.name}: ${reasonOf(revert)}`);
    }
  }
  for (const key of decision.reverts.obsolete) {
    await manager.client.delete(RevertCommit, key, { propagationPolicy: 'Background' });
  }
  await statuses.write(PromotionStrategy, strategy, decision.status);
  countTransitions(shared, keyOf(strategy), decision.transitions);
}

/** Not applied: what is there under that name is left as it is. */
async function created(client: Client, revert: ApplyConfiguration): Promise<boolean> {
  try {
    await client.create(RevertCommit, revert, { fieldManager: fieldManagers.promoter });
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

function reasonOf({ spec }: ApplyConfiguration): string {
  return (spec as RevertCommit['spec']).reason ?? '';
}
