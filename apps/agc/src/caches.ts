import { runnerLabels, RunnerGroup } from '@interlock/api';
import { ConfigMap, Pod, ResourceQuota, Secret, type Cache, type Manager } from '@interlock/kube';
import { groupNameOf, planLabelOf } from './group-objects.js';
import { jobSelector, recordOf } from './job/store.js';
import type { RerunRecord } from './rerun/record.js';
import { rerunOf, rerunSelector } from './rerun/store.js';

/** The caches of the process, limited to its own namespace. */
export interface AgcCaches {
  groups: Cache<RunnerGroup>;
  /** Worker pods. */
  pods: Cache<Pod>;
  /** Metadata of the Secrets of jobs. */
  jobs: Cache<Secret>;
  /** Runs that are to be run again. */
  reruns: Cache<ConfigMap>;
  quotas: Cache<ResourceQuota>;
}

const byGroup = 'runner-group';
const groupIndex = (object: Pod | Secret | ConfigMap): string[] => {
  const group = groupNameOf(object);
  return group === '' ? [] : [group];
};

const byPlan = 'plan';
const planIndex = (pod: Pod): string[] => [planLabelOf(pod) ?? ''];

const byPhase = 'phase';
const phaseIndex = (secret: Secret): string[] => [recordOf(secret)?.phase ?? ''];

const byRun = 'run';
type RunOfRerun = Partial<Pick<RerunRecord, 'repository' | 'runId'>>;
const runIndex = (config: ConfigMap): string[] => runKeys(rerunOf(config) ?? {});

/** The options of the shared caches; a reconciler passes them to get the same cache. */
export const cacheOptions = {
  pods: (namespace: string) => ({ namespace, labelSelector: runnerLabels.runnerGroup }),
  jobs: (namespace: string) => ({ namespace, labelSelector: jobSelector, metadataOnly: true }),
  reruns: (namespace: string) => ({ namespace, labelSelector: rerunSelector }),
};

/** Creates the caches of a manager, with their indexes. Called once, before the manager runs. */
export function agcCaches(manager: Pick<Manager, 'cache'>, namespace: string): AgcCaches {
  const pods = manager.cache(Pod, cacheOptions.pods(namespace));
  const jobs = manager.cache(Secret, cacheOptions.jobs(namespace));
  pods.addIndex(byGroup, groupIndex);
  pods.addIndex(byPlan, planIndex);
  const reruns = manager.cache(ConfigMap, cacheOptions.reruns(namespace));
  jobs.addIndex(byGroup, groupIndex);
  jobs.addIndex(byPhase, phaseIndex);
  reruns.addIndex(byGroup, groupIndex);
  reruns.addIndex(byRun, runIndex);
  return {
    groups: manager.cache(RunnerGroup, { namespace }),
    pods,
    jobs,
    reruns,
    quotas: manager.cache(ResourceQuota, { namespace }),
  };
}

/** Returns the worker pods of a group. */
export function podsOf({ pods }: Pick<AgcCaches, 'pods'>, group: string): Pod[] {
  return pods.byIndex(byGroup, group);
}

/** Returns the metadata of the Secrets of a group's jobs. */
export function jobsOf({ jobs }: Pick<AgcCaches, 'jobs'>, group: string): Secret[] {
  return jobs.byIndex(byGroup, group);
}

/** Returns the metadata of the Secrets of the jobs that have no pod yet, in all groups. A job that ends may no longer have one. */
export function waitingJobs({ jobs, pods }: Pick<AgcCaches, 'jobs' | 'pods'>): Secret[] {
  return jobs
    .byIndex(byPhase, 'Staged')
    .filter((secret) => pods.byIndex(byPlan, planLabelOf(secret) ?? '').length === 0);
}

/** Returns the ConfigMaps of a group's reruns. */
export function rerunsOf({ reruns }: Pick<AgcCaches, 'reruns'>, group: string): ConfigMap[] {
  return reruns.byIndex(byGroup, group);
}

/** Returns the ConfigMaps of the reruns of a run, in all groups; none for a run that is not identified. */
export function rerunsOfRun({ reruns }: Pick<AgcCaches, 'reruns'>, run: RunOfRerun): ConfigMap[] {
  return runKeys(run).flatMap((key) => reruns.byIndex(byRun, key));
}

function runKeys({ repository = '', runId }: RunOfRerun): string[] {
  return runId === undefined ? [] : [`${repository} ${runId}`];
}
