import { runnerLabels, type RunnerGroup } from '@interlock/api';
import { Later, type Observation, type Secret } from '@interlock/kube';
import { jobsOf, podsOf, type AgcCaches } from '../caches.js';
import type { AgcContext } from '../context.js';
import { secretOfPlan } from '../job/job-secret.js';
import { recordOf } from '../job/store.js';
import { headroomBeside, workerHeadroom } from './headroom.js';
import { groupPod, planLabelOf } from './group-pod.js';
import type { ObservedGroup } from './observed.js';

/** Reads a RunnerGroup that this replica leads, with its pods, jobs and quotas, from caches and from memory. */
export function observeGroup(
  context: AgcContext,
  group: RunnerGroup,
  now: number,
): Observation<ObservedGroup> {
  const { caches, groups, locks, worker } = context;
  const { name } = group.metadata;
  const work = groups.get(name);
  if (work === undefined) return new Later();
  const secrets = jobsOf(caches, name);
  /* A record that cannot be read has no end that the deletion of the group could wait for. */
  const records = secrets.map((secret) => recordOf(secret)).filter((record) => record !== undefined);
  const live = records.filter(({ phase }) => phase !== 'Concluding');
  const plans = new Set(secrets.map(planOfSecret));
  /* A replica that has just taken over may watch the pod of a job before its Secret. */
  const hasJob = (plan = ''): boolean => plans.has(plan) || locks.isKept(secretOfPlan(plan));
  const pods = podsOf(caches, name).map((pod) => groupPod(pod, hasJob(planLabelOf(pod)), now));
  const active = pods.filter(({ state }) => state !== 'ended').length;
  const headroom = workerHeadroom(caches.quotas.list(), group, worker, active, now);
  return {
    group,
    pods,
    liveJobs: live.length,
    stagedJobs: live.filter(({ phase }) => phase === 'Staged').length,
    jobs: records.length,
    headroom: headroom.pods === Infinity ? headroom : headroomBeside(headroom, waitingBeside(caches, name)),
    sessions: work.source.sessions,
    health: work.health,
    heldSince: work.heldSince,
    isAdopted: work.isAdopted,
  };
}

/** Returns how many jobs of other groups have no pod. Does not decode their records, because there may be many. */
function waitingBeside({ jobs, pods }: Pick<AgcCaches, 'jobs' | 'pods'>, group: string): number {
  const withPod = new Set(pods.list().map(planLabelOf));
  const waits = (secret: Secret): boolean =>
    secret.metadata.labels?.[runnerLabels.runnerGroup] !== group && !withPod.has(planOfSecret(secret));
  return jobs.list().filter(waits).length;
}

function planOfSecret({ metadata }: Secret): string | undefined {
  return metadata.labels?.[runnerLabels.planId];
}
