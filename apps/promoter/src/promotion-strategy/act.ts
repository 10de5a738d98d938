import { CommitStatus, ProposedCommit, RevertCommit } from '@interlock/api';
import { isAlreadyExists, type ApplyConfiguration, type Client } from '@interlock/kube';
import type { PromoterContext } from '../context.js';
import type { StrategyDecision } from './decide.js';

/** Applies a decision; every call is idempotent. Returns the RevertCommits that it created. @throws ApiError */
export async function actOnStrategy(
  { manager: { client }, applier, caches }: Pick<PromoterContext, 'manager' | 'applier' | 'caches'>,
  { proposedCommits, obsolete, commitStatuses, reverts }: StrategyDecision,
): Promise<ApplyConfiguration[]> {
  for (const child of proposedCommits) await applier.apply(ProposedCommit, caches.proposedCommits, child);
  for (const key of obsolete) await client.delete(ProposedCommit, key, { propagationPolicy: 'Background' });
  for (const status of commitStatuses) await applier.apply(CommitStatus, caches.commitStatuses, status);
  const created: ApplyConfiguration[] = [];
  for (const revert of reverts.create) if (await create(client, revert)) created.push(revert);
  for (const key of reverts.obsolete) {
    await client.delete(RevertCommit, key, { propagationPolicy: 'Background' });
  }
  return created;
}

/**
 * Creates a RevertCommit instead of applying it, so that an existing object of that name is not changed. Returns whether
 * it was created.
 */
async function create(client: Client, revert: ApplyConfiguration): Promise<boolean> {
  try {
    await client.create(RevertCommit, revert);
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}
