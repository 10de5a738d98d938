import type { RunnerGroup } from '@interlock/api';
import { Later, type Observation } from '@interlock/kube';
import { jobsOf, podsOf } from '../caches.js';
import type { AgcContext } from '../context.js';
import { planLabelOf } from '../group-objects.js';
import { secretOfPlan } from '../job/job-secret.js';
import type { JobRecord } from '../job/record.js';
import { isQuotaRefusal } from '../job/refusal.js';
import { recordOf } from '../job/store.js';
import { groupPod } from './group-pod.js';
import type { ObservedGroup } from './observed.js';
import { observeHeadroom } from './observe-headroom.js';

/** Reads a RunnerGroup that this replica leads, with its pods, jobs and quotas, from caches and from memory. */
export function observeGroup(
  context: AgcContext,
  group: RunnerGroup,
  now: number,
): Observation<ObservedGroup> {
  const { caches, groups, locks, failing } = context;
  const { name } = group.metadata;
  const work = groups.get(name);
  if (work === undefined) return new Later();
  const secrets = jobsOf(caches, name);
  /* A record that cannot be read has no end that the deletion of the group could wait for. */
  const records = secrets.map((secret) => recordOf(secret)).filter((record) => record !== undefined);
  const live = records.filter(({ phase }) => phase !== 'Concluding');
  const plans = new Set(secrets.map(planLabelOf));
  /* A replica that has just taken over may watch the pod of a job before its Secret. */
  const hasJob = (plan = ''): boolean => plans.has(plan) || locks.isKept(secretOfPlan(plan));
  const pods = podsOf(caches, name).map((pod) => groupPod(pod, hasJob(planLabelOf(pod)), now));
  return {
    group,
    pods,
    liveJobs: live.length,
    stagedJobs: live.filter(({ phase }) => phase === 'Staged').length,
    jobs: records.length,
    refusal: refusalOf(live),
    stepFailure: failing.causeIn(name),
    headroom: observeHeadroom(context, group, now),
    sessions: work.source.sessions,
    health: work.health,
    heldSince: work.heldSince,
    isAdopted: work.isAdopted,
  };
}

/** Returns why the pod of a job was refused last, except by a ResourceQuota, which another condition reports. */
function refusalOf(jobs: readonly JobRecord[]): string | undefined {
  const refused = jobs.filter(
    ({ phase, refusals, refusal = '' }) => phase === 'Staged' && refusals > 0 && !isQuotaRefusal(refusal),
  );
  refused.sort((a, b) => (b.refusedAt ?? 0) - (a.refusedAt ?? 0));
  return refused[0] && (refused[0].refusal ?? 'no reason given');
}
