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
import { isQuotaExceeded } from './capacity.js';
import { stuckAt, type GroupDecision } from './decide.js';
import type { GroupPod } from './group-pod.js';
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
  const { drain } = decision;
  const nextAt = outcome.arePodsLeft ? now : decision.nextAt;
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

/** The conditions that depend on the state of the job source: their reason in each state in which they are true, and otherwise. */
const sourceConditions: readonly {
  type: string;
  reasons: Partial<Record<SourceHealth['state'], string>>;
  otherwise: ConditionReason;
}[] = [
  {
    type: runnerConditions.degraded,
    reasons: { unauthorized: 'Unauthorized', sessionHeld: 'SessionHeld', failing: 'PollingFailed' },
    otherwise: { reason: 'SessionAuthorized', message: 'sessions are authorized' },
  },
  {
    type: runnerConditions.rateLimited,
    reasons: { rateLimited: 'TooManyRequests' },
    otherwise: { reason: 'PollingHealthy', message: 'polls are answered' },
  },
  {
    type: runnerConditions.runnerVersionTooOld,
    reasons: { versionTooOld: 'VersionTooOld' },
    otherwise: { reason: 'VersionAccepted', message: 'GitHub accepts the version of the runner' },
  },
  {
    type: runnerConditions.credentialUnavailable,
    reasons: { credentialMissing: 'TokenUnavailable' },
    otherwise: { reason: 'CredentialAvailable', message: 'the credential of the GitHub App is valid' },
  },
];

/** Returns the conditions besides `Ready`. */
function conditionsOf(observed: ObservedGroup, { capacity }: GroupDecision, now: number): Finding[] {
  const { headroom } = observed;
  const stuck = unschedulable(observed, now);
  const isExceeded = isQuotaExceeded(capacity, headroom);
  return [
    ...sourceConditions.map((condition) => findingOf(condition, observed, now)),
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
      isTrue: isExceeded,
      because: isExceeded
        ? { reason: 'QuotaExceeded', message: headroom.limit }
        : { reason: 'QuotaSufficient', message: 'the quotas of the namespace have room for a worker pod' },
    },
  ];
}

/** Returns a condition that depends on the state of the job source, and `Degraded` also when jobs have another problem. */
function findingOf(
  { type, reasons, otherwise }: (typeof sourceConditions)[number],
  observed: ObservedGroup,
  now: number,
): Finding {
  const { health } = observed;
  const usual = health && reasons[health.state];
  if (usual !== undefined) {
    const reason = health?.reason ?? usual;
    return { type, isTrue: true, because: { reason, message: health?.message ?? reason } };
  }
  const because = type === runnerConditions.degraded ? jobProblem(observed, now) : undefined;
  if (because !== undefined) return { type, isTrue: true, because };
  return { type, isTrue: false, because: otherwise, needsHealth: true };
}

/** Returns why jobs do not start, or do not end, for another reason than the job source. */
function jobProblem(
  { refusal, stepFailure, pods, group }: ObservedGroup,
  now: number,
): ConditionReason | undefined {
  if (refusal !== undefined) {
    const message = `a job waits because its worker pod is refused; correct podTemplate, or the policy that refuses it: ${refusal}`;
    return { reason: 'WorkerPodRefused', message };
  }
  if (stepFailure !== undefined) {
    const message = `a step of a job fails and is repeated: ${stepFailure}`;
    return { reason: 'JobStepFailing', message };
  }
  const stuck = pods.filter((pod) => isStuck(pod, pod.unstarted, group, now));
  const [first] = stuck;
  if (first === undefined) return undefined;
  const message = `${stuck.length} worker pods have not started, such as ${first.name}: ${first.unstarted?.message ?? ''}`;
  return { reason: 'WorkerPodsNotStarted', message };
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
  const stuck = pods.filter((pod) => isStuck(pod, pod.unschedulable, group, now));
  const [first] = stuck;
  if (first === undefined) return undefined;
  const message = `${stuck.length} worker pods wait for a node, such as ${first.name}: ${first.unschedulable?.message ?? ''}`;
  return { reason: 'PodsUnschedulable', message };
}

/** Returns whether a pod waits for a reason, and has waited for half of its deadline. */
function isStuck(
  pod: GroupPod,
  reason: GroupPod['unschedulable'],
  { spec }: ObservedGroup['group'],
  now: number,
): boolean {
  return reason !== undefined && now >= (stuckAt(pod, spec) ?? Infinity);
}
