import { endOfSuccess, type CommitStatus, type CommitStatusResourceStatus } from '@interlock/api';
import { Problem } from '@interlock/base';
import { Failure, markReady, problemStatus, type Conclusion } from '@interlock/kube';
import type { Sent } from './act.js';
import type { SyncDecision } from './decide.js';
import type { ObservedCommitStatus } from './observe.js';

/** Returns the status after a decision was applied. Pure; `now` in milliseconds since the epoch. */
export function concludeCommitStatus(
  observed: ObservedCommitStatus,
  decision: SyncDecision,
  outcome: Sent | Failure | undefined,
  now: number,
): Conclusion<CommitStatus> {
  const { commitStatus } = observed;
  const later = untilEndOfSuccess(observed, now);
  switch (decision.type) {
    case 'inSync':
      return later;
    case 'blocked':
      return { status: problemStatus(commitStatus, decision.problem, now) };
    case 'shown':
      return { status: syncedStatus(observed, decision, decision.by.status?.plugin, now), ...later };
    case 'send':
      if (outcome instanceof Failure) return concludeFailure(commitStatus, outcome, now);
      return {
        status: syncedStatus(observed, decision, outcome && { [outcome.plugin]: { ...outcome.ids } }, now),
        ...later,
      };
  }
}

/** The SCM has to show the end of a success, also of one that has ended since the decision. */
function untilEndOfSuccess(
  { sharing }: ObservedCommitStatus,
  now: number,
): Pick<Conclusion<CommitStatus>, 'requeueAfterMs'> {
  const ends = sharing.flatMap((one) => endOfSuccess(one) ?? []);
  return ends.length === 0 ? {} : { requeueAfterMs: Math.max(0, Math.min(...ends) - now) };
}

function syncedStatus(
  { commitStatus, sharing }: ObservedCommitStatus,
  { digest, shown: { phase } }: Extract<SyncDecision, { digest: string }>,
  plugin: CommitStatusResourceStatus['plugin'],
  now: number,
): CommitStatusResourceStatus {
  const { spec, status, metadata } = commitStatus;
  const others = sharing.map((one) => one.metadata.name).filter((name) => name !== metadata.name);
  const together =
    others.length === 0
      ? ''
      : `; CommitStatuses with the same name and commit share it: ${others.join(', ')}`;
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

function concludeFailure(
  commitStatus: CommitStatus,
  { error, lasts }: Failure,
  now: number,
): Conclusion<CommitStatus> {
  if (error.type === 'Conflict' || !lasts) return {};
  return { status: problemStatus(commitStatus, new Problem(error.reason, error.message), now) };
}
