import type { CommitStatus, CommitStatusResourceStatus } from '@interlock/api';
import { markReady, markReconciling, markStalled } from '@interlock/kube';
import type { CommitStatusIds } from '@interlock/scm';

interface Problem {
  reason: string;
  message: string;
}

/** @returns the status after the SCM took it. `now` in milliseconds since the epoch. */
export function sentStatus(
  { spec, status, metadata }: CommitStatus,
  sent: { plugin: string; ids: CommitStatusIds; digest: string },
  now: number,
): CommitStatusResourceStatus {
  const synced = { reason: 'Synced', message: `the SCM shows ${spec.phase}` };
  return {
    observedGeneration: metadata.generation,
    conditions: markReady(status?.conditions, synced, metadata.generation, now),
    plugin: { [sent.plugin]: { ...sent.ids } },
    sha: spec.sha,
    phase: spec.phase,
    digest: sent.digest,
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
