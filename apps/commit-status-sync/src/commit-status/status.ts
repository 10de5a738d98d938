import type { CommitStatus, CommitStatusPhase, CommitStatusResourceStatus } from '@interlock/api';
import { markReady, markReconciling, markStalled } from '@interlock/kube';
import type { CommitStatusIds } from '@interlock/scm';

interface Problem {
  reason: string;
  message: string;
}

/** What the SCM was sent. */
export interface Sent {
  plugin: string;
  ids: CommitStatusIds;
  digest: string;
  phase: CommitStatusPhase;
  /** Names of the others that have the same name on the same commit. */
  others: readonly string[];
}

/** @returns the status after the SCM took it. `now` in milliseconds since the epoch. */
export function sentStatus(
  commitStatus: CommitStatus,
  { plugin, ids, ...sent }: Sent,
  now: number,
): CommitStatusResourceStatus {
  return statusAfter(commitStatus, { ...sent, plugin: { [plugin]: { ...ids } } }, now);
}

/** Returns the status of one that another has sent with its own, as both have the same name on the same commit. */
export function shownStatus(
  commitStatus: CommitStatus,
  { by, ...sent }: Omit<Sent, 'plugin' | 'ids'> & { by: CommitStatus },
  now: number,
): CommitStatusResourceStatus {
  return statusAfter(commitStatus, { ...sent, plugin: by.status?.plugin }, now);
}

function statusAfter(
  { spec, status, metadata }: CommitStatus,
  sent: Omit<Sent, 'plugin' | 'ids'> & { plugin: CommitStatusResourceStatus['plugin'] },
  now: number,
): CommitStatusResourceStatus {
  const { phase, digest, plugin, others } = sent;
  const together = others.length === 0 ? '' : `, for ${others.join(', ')} too, with the same name`;
  const synced = { reason: 'Synced', message: `the SCM shows ${phase}${together}` };
  return {
    observedGeneration: metadata.generation,
    conditions: markReady(status?.conditions, synced, metadata.generation, now),
    ...(plugin && { plugin }),
    sha: spec.sha,
    phase,
    digest,
  };
}

/** @returns the status when it could not be sent. What was sent before stays known. `final`: the spec has to change. */
export function problemStatus(
  { status, metadata }: CommitStatus,
  problem: Problem,
  final: boolean,
  now: number,
): CommitStatusResourceStatus {
  const mark = final ? markStalled : markReconciling;
  return {
    ...status,
    observedGeneration: metadata.generation,
    conditions: mark(status?.conditions, problem, metadata.generation, now),
  };
}
