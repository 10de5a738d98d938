import {
  conditions as conditionTypes,
  runnerConditions,
  type Condition,
  type RunnerGroup,
  type RunnerGroupStatus,
} from '@interlock/api';
import type { SourceHealth } from '@interlock/broker';
import {
  Failure,
  getCondition,
  setCondition,
  type Conclusion,
  type ConditionReason,
  type EventInput,
} from '@interlock/kube';
import type { GroupOutcome } from './act.js';
import { unschedulableAt, type GroupDecision } from './decide.js';
import type { ObservedGroup } from './observed.js';

/** Returns the status of a RunnerGroup, its events, and when it is reconciled again. Pure. */
export function concludeGroup(
  observed: ObservedGroup,
  decision: GroupDecision,
  outcome: GroupOutcome | Failure,
  now: number,
): Conclusion<RunnerGroup> {
  const status = statusOf(observed, decision, outcome, now);
  if (outcome instanceof Failure) return { status };
  const { nextAt, drain } = decision;
  return {
    status,
    requeueAfterMs: nextAt === undefined ? undefined : Math.max(0, nextAt - now),
    happened: drain === 'givenUp' ? [deregistrationFailed] : [],
    releases: outcome.isRetired,
  };
}

const deregistrationFailed: EventInput = {
  type: 'Warning',
  reason: 'AgentDeregistrationFailed',
  action: 'Delete',
  note: 'GitHub still has runners of this RunnerGroup after 25 minutes; wait until GitHub removes them as offline runners, or delete them in the settings of GitHub',
};

function statusOf(
  observed: ObservedGroup,
  decision: GroupDecision,
  outcome: GroupOutcome | Failure,
  now: number,
): RunnerGroupStatus {
  const { group, pods, sessions, stagedJobs } = observed;
  const { generation } = group.metadata;
  let { conditions }: { conditions?: Condition[] | undefined } = group.status ?? {};
  const findings = [readiness(observed, decision, outcome), ...conditionsOf(observed, decision, now)];
  for (const { type, isTrue, because, needsHealth } of findings) {
    /* A replica that has just taken over does not know yet whether a problem continues. */
    const isUnknown = needsHealth === true && observed.health === undefined;
    const before = isUnknown ? getCondition(conditions, type) : undefined;
    const { status, reason, message } = before ?? { status: isTrue ? 'True' : 'False', ...because };
    conditions = setCondition(conditions, { type, status, reason, message }, generation, now);
  }
  return {
    ...group.status,
    ...(generation !== undefined && { observedGeneration: generation }),
    ...(conditions && { conditions }),
    activeSessions: sessions,
    activeJobs: pods.filter(({ hasJob, state }) => hasJob && state === 'running').length,
    pendingJobs: stagedJobs + pods.filter(({ hasJob, state }) => hasJob && state === 'pending').length,
  };
}

interface Finding {
  type: string;
  isTrue: boolean;
  because: ConditionReason;
  /** Whether it follows from the health of the source alone. */
  needsHealth?: boolean;
}

const healthy: ConditionReason = { reason: 'PollingHealthy', message: 'polls are answered' };

/** Returns the conditions besides `Ready`. */
function conditionsOf(observed: ObservedGroup, { capacity }: GroupDecision, now: number): Finding[] {
  const { health, headroom } = observed;
  const failing = (...states: SourceHealth['state'][]): boolean =>
    health !== undefined && states.includes(health.state);
  const saying = (reason: string): ConditionReason => ({ reason, message: health?.message ?? reason });
  const credential = failing('credentialMissing') ? saying('TokenUnavailable') : undefined;
  const isQuotaExceeded = capacity.shortage?.reason === 'quota' || headroom.pods === 0;
  const stuck = unschedulable(observed, now);
  return [
    degradation(observed),
    {
      type: runnerConditions.rateLimited,
      needsHealth: true,
      isTrue: failing('rateLimited'),
      because: failing('rateLimited') ? saying(health?.reason ?? 'TooManyRequests') : healthy,
    },
    {
      type: runnerConditions.runnerVersionTooOld,
      needsHealth: true,
      isTrue: failing('versionTooOld'),
      because: failing('versionTooOld')
        ? saying('VersionTooOld')
        : { reason: 'VersionAccepted', message: 'GitHub accepts the version of the runner' },
    },
    {
      type: runnerConditions.credentialUnavailable,
      needsHealth: true,
      isTrue: credential !== undefined,
      because: credential ?? {
        reason: 'CredentialAvailable',
        message: 'the credential of the GitHub App is valid',
      },
    },
    {
      type: runnerConditions.workersUnschedulable,
      isTrue: stuck !== undefined,
      because: stuck ?? {
        reason: 'WorkersSchedulable',
        message: 'no worker pod has been waiting for a node for long',
      },
    },
    {
      type: runnerConditions.workerQuotaExceeded,
      isTrue: isQuotaExceeded,
      because: isQuotaExceeded
        ? { reason: 'QuotaExceeded', message: headroom.limit }
        : { reason: 'QuotaSufficient', message: 'the quotas of the namespace have room for a worker pod' },
    },
  ];
}

const degradedReasons: Partial<Record<SourceHealth['state'], string>> = {
  unauthorized: 'Unauthorized',
  sessionHeld: 'SessionHeld',
  failing: 'PollingFailed',
};

function degradation({ health, refusal }: ObservedGroup): Finding {
  const { degraded: type } = runnerConditions;
  const reason = health && degradedReasons[health.state];
  if (reason !== undefined)
    return { type, isTrue: true, because: { reason, message: health?.message ?? reason } };
  if (refusal !== undefined) {
    const message = `a job waits because its worker pod is refused; correct podTemplate, or the policy that refuses it: ${refusal}`;
    return { type, isTrue: true, because: { reason: 'WorkerPodRefused', message } };
  }
  return {
    type,
    isTrue: false,
    because: { reason: 'SessionAuthorized', message: 'sessions are authorized' },
    needsHealth: true,
  };
}

function readiness(
  { sessions, health, heldSince, group }: ObservedGroup,
  { drain, capacity }: GroupDecision,
  outcome: GroupOutcome | Failure,
): Finding {
  const because = (reason: string, message: string): Finding => ({
    type: conditionTypes.ready,
    isTrue: reason === 'ListenerActive',
    because: { reason, message },
  });
  if (drain !== 'none') {
    return because('Deleting', `the RunnerGroup is being deleted (${drain})${remainingOf(outcome)}`);
  }
  /* A runner that was offered a job no longer waits for jobs, and the next one needs a moment to be registered. */
  const isReplaced = sessions === 0 && health?.state === 'polling';
  if (sessions > 0 || isReplaced) {
    const { shortage } = capacity;
    const isHeld = heldSince !== undefined && shortage !== undefined;
    const held = isHeld ? `; jobs stay queued at GitHub: ${shortage.message}` : '';
    return because(
      'ListenerActive',
      `${sessions} of ${group.spec.maxListeners} sessions wait for jobs${held}`,
    );
  }
  return because('NoActiveSessions', health?.message ?? 'no session waits for jobs yet');
}

/** Returns what the deletion of a group waits for at GitHub. */
function remainingOf(outcome: GroupOutcome | Failure): string {
  if (outcome instanceof Failure || outcome.pinned === 0) return '';
  const { pinned, problem } = outcome;
  return `: ${pinned} runners are not removed at GitHub yet${problem === undefined ? ', because they have a job' : `: ${problem}`}`;
}

/** Returns the reason and message when pods have waited for a node for half of their deadline. */
function unschedulable({ pods, group }: ObservedGroup, now: number): ConditionReason | undefined {
  const stuck = pods.filter((pod) => now >= (unschedulableAt(pod, group.spec) ?? Infinity));
  const [first] = stuck;
  if (first === undefined) return undefined;
  const message = `${stuck.length} worker pods wait for a node, such as ${first.name}: ${first.unschedulable?.message ?? ''}`;
  return { reason: 'PodsUnschedulable', message };
}
