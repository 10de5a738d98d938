import { CommitStatus, isTyped } from '@interlock/api';
import type { Applier, Cache, Client } from '@interlock/kube';
import type { Obsolete, SourceDecision } from './model.js';

interface Actor {
  client: Client;
  applier: Applier;
  commitStatuses: Cache<CommitStatus>;
}

/** Writes the CommitStatuses of a decision; every call is idempotent. @throws TypedError */
export async function actOnSource(
  { client, applier, commitStatuses }: Actor,
  { commitStatuses: children, obsolete }: Pick<SourceDecision<unknown>, 'commitStatuses' | 'obsolete'>,
): Promise<void> {
  for (const commitStatus of children) await applier.apply(CommitStatus, commitStatuses, commitStatus);
  for (const child of obsolete) await remove(client, child);
}

async function remove(client: Client, { key, uid }: Obsolete): Promise<void> {
  try {
    await client.delete(CommitStatus, key, { uid, propagationPolicy: 'Background' });
  } catch (error) {
    if (!isTyped(error, 'NotFound', 'Conflict')) throw error;
  }
}
