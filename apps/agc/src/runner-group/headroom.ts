import type { RunnerGroup } from '@interlock/api';
import { quotaHeadroom } from '@interlock/api/quantities';
import type { ResourceQuota } from '@interlock/kube';
import type * as core from 'kubernetes-types/core/v1.js';
import { buildWorkerPod, type WorkerSettings } from '../worker-pod/build.js';
import type { WorkerPodSpec } from '../worker-pod/runner-container.js';
import type { Headroom } from './observed.js';

/** An arbitrary job: the pods of all jobs need the same resources. */
const anyJob = {
  version: 1,
  key: 'any',
  planId: 'any',
  jobId: 'any',
  runnerName: 'any',
  phase: 'Staged',
  acquiredAt: 0,
  parts: 1,
  siblings: [],
  launches: 0,
  refusals: 0,
} as const;

const unlimited: Headroom = { pods: Infinity, limit: '' };

/**
 * Returns how many more worker pods of a group fit in the quotas of its namespace. A quota may be limited to the PriorityClass of one
 * tier, so the pods of each tier are considered. Pure; `now` in milliseconds since the epoch.
 *
 * @param active the number of worker pods that have not ended
 */
export function workerHeadroom(
  quotas: readonly ResourceQuota[],
  group: RunnerGroup,
  settings: WorkerSettings,
  active: number,
  now: number,
): Headroom {
  if (quotas.length === 0) return unlimited;
  const { priorityTiers = [] } = group.spec;
  const counted = withoutUncounted(group);
  const last = priorityTiers.at(-1);
  let least = 0;
  for (const tier of priorityTiers) {
    /* The worker limit of the group, which is that of the last tier, is not a limit of a quota. */
    const places = tier.threshold - active;
    if (tier === last || places <= 0) continue;
    const { pods, limit } = headroomOf(tier.priorityClassName);
    if (pods < places) return { pods: Math.max(least, pods), limit };
    least = places;
  }
  const { pods, limit } = headroomOf(last?.priorityClassName);
  return { pods: Math.max(least, pods), limit };

  function headroomOf(priorityClassName: string | undefined): Headroom {
    const pod = buildWorkerPod(counted, { ...anyJob, siblings: [] }, settings, priorityClassName);
    const { pods, tightest } = quotaHeadroom(quotas, pod, new Date(now));
    return { pods, limit: tightest[0]?.message ?? '' };
  }
}

/**
 * Returns a group whose pods count like those of the given one in a quota. A pod is built for each change of a pod, and a template may
 * have more than a megabyte of variables, volumes and annotations, which no quota counts: to copy them would delay every other group.
 */
function withoutUncounted({ spec, ...group }: RunnerGroup): RunnerGroup {
  const { podTemplate = {} } = spec;
  if (podTemplate.spec === undefined) return { ...group, spec: { ...spec, podTemplate: {} } };
  const { volumes: _volumes, containers, initContainers, ...kept } = podTemplate.spec;
  const podSpec: WorkerPodSpec = {
    ...kept,
    containers: containers.map(countedPart),
    ...(initContainers && { initContainers: initContainers.map(countedPart) }),
  };
  return { ...group, spec: { ...spec, podTemplate: { spec: podSpec } } };
}

function countedPart({ name, resources, restartPolicy }: core.Container): core.Container {
  return { name, ...(resources && { resources }), ...(restartPolicy && { restartPolicy }) };
}

/**
 * Returns the headroom that is left beside the jobs of other groups that wait for a pod, which needs a place in the same quotas: a
 * job that is claimed for their place would be refused until it is given up. Pods of all groups count as equal. Pure.
 */
export function headroomBeside({ pods, limit }: Headroom, waiting: number): Headroom {
  if (pods > waiting) return { pods: pods - waiting, limit };
  if (pods === 0) return { pods, limit };
  const remaining = `the ResourceQuotas have room for ${pods} more worker pods, for which ${waiting} jobs of other RunnerGroups wait`;
  return { pods: 0, limit: remaining };
}
