import { repositoryKey } from '@interlock/api';
import type { ReconcileContext } from '@interlock/kube';
import type { CommitStatusIds, RepositoryResolver } from '@interlock/scm';
import { requestOf, type SyncDecision } from './decide.js';
import type { ObservedCommitStatus } from './observe.js';

/** The ids of a status at the SCM. */
export interface Sent {
  plugin: string;
  ids: CommitStatusIds;
}

/** Sends a status to the SCM. Returns undefined when there is nothing to send. @throws TypedError */
export async function actOnCommitStatus(
  resolver: RepositoryResolver,
  { commitStatus }: ObservedCommitStatus,
  decision: SyncDecision,
  { signal }: ReconcileContext,
): Promise<Sent | undefined> {
  if (decision.type !== 'send') return undefined;
  const { repository, plugin } = await resolver.resolve(repositoryKey(commitStatus));
  const ids = await repository.ensureCommitStatus(requestOf(commitStatus, decision.shown, plugin), {
    signal,
  });
  return { plugin, ids };
}
