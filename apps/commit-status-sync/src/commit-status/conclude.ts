import { isTyped, type CommitStatus, type CommitStatusResourceStatus } from '@interlock/api';
import { Failure, markReady, markReconciling, markStalled, type Conclusion } from '@interlock/kube';
import type { Sent } from './act.js';
import type { SyncDecision } from './decide.js';
import type { ObservedCommitStatus } from './observe.js';

/** Returns the status after the SCM was sent a status, or was not. Pure; `now` in milliseconds since the epoch. */
export function concludeCommitStatus(
  observed: ObservedCommitStatus,
  decision: SyncDecision,
  outcome: Sent | Failure | undefined,
  now: number,
): Conclusion<CommitStatus> {
  const { commitStatus } = observed;
  switch (decision.type) {
    case 'inSync':
      return {};
    case 'invalid':
      return { status: problemStatus(commitStatus, decision, true, now) };
    case 'waiting':
      return { status: problemStatus(commitStatus, decision, false, now) };
    case 'shown':
      return { status: syncedStatus(observed, decision, decision.by.status?.plugin, now) };
    case 'send':
      if (outcome instanceof Failure)
        return isTyped(outcome.error, 'Conflict') || !outcome.lasts
          ? {}
          : { status: problemStatus(commitStatus, outcome.error, false, now) };
      return {
        status: syncedStatus(observed, decision, outcome && { [outcome.plugin]: { ...outcome.ids } }, now),
      };
  }
}

function syncedStatus(
  { commitStatus, sharing }: ObservedCommitStatus,
  { digest, shown: { phase } }: Extract<SyncDecision, { digest: string }>,
  plugin: CommitStatusResourceStatus['plugin'],
  now: number,
): CommitStatusResourceStatus {
  const { spec, status, metadata } = commitStatus;
  const others = sharing.map((one) => one.metadata.name).filter((name) => name !== metadata.name);
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

interface Problem {
  reason: string;
  message: string;
}

/** What was sent before stays known. `isFinal`: the spec has to change. */
function problemStatus(
  { status, metadata }: CommitStatus,
  problem: Problem,
  isFinal: boolean,
  now: number,
): CommitStatusResourceStatus {
  const mark = isFinal ? markStalled : markReconciling;
  return {
    ...status,
    observedGeneration: metadata.generation,
    conditions: mark(status?.conditions, problem, metadata.generation, now),
  };
}
