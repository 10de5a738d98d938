import { CommitStatus, conditions, fieldManagers, isTyped, type Condition, type Kind } from '@interlock/api';
import { applyStatus, type Applier, type Cache, type Client, type EventRecorder } from '@interlock/kube';
import type { Obsolete, Source, SourceDecision } from './model.js';

export interface Actor {
  client: Client;
  applier: Applier;
  commitStatuses: Cache<CommitStatus>;
  events: Pick<EventRecorder, 'recordTransitions'>;
}

/** Applies a decision; every call is idempotent. Children first, so that the status never promises what is not there. */
export async function actOnSource<S extends Source>(
  { client, applier, commitStatuses, events }: Actor,
  kind: Kind<S>,
  source: S,
  decision: SourceDecision<NonNullable<S['status']>>,
): Promise<void> {
  for (const commitStatus of decision.commitStatuses) {
    await applier.apply(CommitStatus, commitStatuses, commitStatus);
  }
  for (const child of decision.obsolete) await remove(client, child);
  await applyStatus(client, kind, source, decision.status, { fieldManager: fieldManagers.commitStatusSync });
  events.recordTransitions(
    source,
    'Reconcile',
    source.status?.conditions,
    decision.status.conditions,
    severity,
  );
}

async function remove(client: Client, { key, uid }: Obsolete): Promise<void> {
  try {
    await client.delete(CommitStatus, key, { uid, propagationPolicy: 'Background' });
  } catch (error) {
    if (!isTyped(error, 'NotFound', 'Conflict')) throw error;
  }
}

function severity({ type, status }: Condition): 'Normal' | 'Warning' {
  const bad = type === conditions.ready ? 'False' : 'True';
  return (type === conditions.ready || type === conditions.stalled) && status === bad ? 'Warning' : 'Normal';
}
