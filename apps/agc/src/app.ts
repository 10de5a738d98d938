import type { Logger } from '@interlock/base';
import { createClassicSource, type Broker, type JobSource, type RunnerDescription } from '@interlock/broker';
import { agcCaches, jobsOf, rerunsOf } from './caches.js';
import type { AgcContext, AgcProcess } from './context.js';
import { Adoption } from './group/adoption.js';
import { AgentSecrets, runnerNamePrefix } from './group/agent-secrets.js';
import { Claims } from './group/claims.js';
import { DeliveryNames } from './group/delivery-names.js';
import { EndedJobs } from './group/ended-jobs.js';
import { GroupWork } from './group/group-work.js';
import { GroupLeases, type LeaseTiming } from './group/leases.js';
import { LedGroups } from './group/led-groups.js';
import { levelledLog } from './group/levelled-log.js';
import { Places } from './group/places.js';
import { ScaleUp } from './group/scale-up.js';
import { EndedPods } from './job/ended-pods.js';
import { FailingJobs } from './job/failing-jobs.js';
import { addJobReconciler } from './job/reconciler.js';
import { JobStore } from './job/store.js';
import { JobLocks } from './lock/job-locks.js';
import { hasReported } from './job/has-reported.js';
import type { JobRecord } from './job/record.js';
import { LockKeeping } from './lock/keeping.js';
import { addRerunReconciler } from './rerun/reconciler.js';
import { RerunStore } from './rerun/store.js';
import { quotaShortage } from './runner-group/observe-headroom.js';
import { addRunnerGroupReconciler } from './runner-group/reconciler.js';

interface AgcOptions extends AgcProcess {
  /** The identity of this replica; a process that replaces this one in the same pod may have the same identity. */
  identity: string;
  broker: Broker;
  runnerVersion: string;
  runnerArchitecture: RunnerDescription['architecture'];
  runnerGroupId: number;
  /** Defaults to a timing with which another replica takes over within 10 s. */
  leaseTiming?: LeaseTiming | undefined;
}

/** Adds to a manager the reconcilers of RunnerGroups, jobs and reruns, and the leases by which replicas share the groups. */
export function addAgc(options: AgcOptions): LedGroups {
  const { manager, namespace, broker } = options;
  const caches = agcCaches(manager, namespace);
  const groups = new LedGroups();
  const context: AgcContext = {
    ...options,
    caches,
    groups,
    runs: broker.runs,
    repositories: (signal) => broker.repositories(signal),
    jobs: new JobStore(manager.client),
    reruns: new RerunStore(manager.client, manager.clock),
    locks: new JobLocks(),
    places: new Places(),
    scaleUp: new ScaleUp(),
    ended: new EndedJobs(),
    endedPods: new EndedPods(),
    failing: new FailingJobs(),
    wake(group) {
      context.wakeJobs(jobsOf(caches, group).map(({ metadata }) => metadata.name));
      for (const { metadata } of rerunsOf(caches, group)) reruns.enqueue({ name: metadata.name, namespace });
    },
    wakeJobs(names) {
      for (const name of names) jobs.enqueue({ name, namespace });
    },
  };
  const jobs = addJobReconciler(context);
  const reruns = addRerunReconciler(context);
  addRunnerGroupReconciler(context);
  manager.add(
    new GroupLeases({
      ...options,
      groups: caches.groups,
      led: groups,
      createWork: (name, predecessor) => createWork(context, options, name, predecessor),
    }),
  );
  return groups;
}

/** Creates the work of a RunnerGroup that this replica starts to lead. */
function createWork(
  context: AgcContext,
  options: AgcOptions,
  name: string,
  predecessor: GroupWork | undefined,
): GroupWork {
  const { manager, caches, namespace, groups, events } = context;
  const { client, clock } = manager;
  const current = () => caches.groups.get({ name, namespace });
  const log = levelledLog(context.log.child({ runnerGroup: name }), () => current()?.spec.logLevel);
  const parts = {
    ...context,
    log,
    group: name,
    led: groups,
    client,
    clock,
    source: createSource(context, options, name, log),
    deliveries: new DeliveryNames(),
    onSettled: () => groups.settled(),
    keeping: new LockKeeping({ ...context, log, clock }),
    isReported: (record: JobRecord) => hasReported(context, name, record),
  };
  const warn = (reason: string, note: string): void => {
    const regarding = current();
    if (regarding !== undefined)
      events.record(regarding, { type: 'Warning', reason, action: 'RunJob', note });
  };
  return new GroupWork({
    ...parts,
    predecessor,
    adoption: new Adoption(parts),
    claims: new Claims({ ...parts, groups: caches.groups, warn }),
    shortage: () => quotaShortage(context, name, clock.now()),
    onChange: () => groups.changed(name),
  });
}

/** Creates the source of the jobs of a RunnerGroup. */
function createSource(
  { manager: { client }, caches: { groups }, namespace }: AgcContext,
  { broker, identity, runnerGroupId, runnerVersion, runnerArchitecture }: AgcOptions,
  group: string,
  log: Logger,
): JobSource {
  const { runnerLabels = [], maxListeners = 1 } = groups.get({ name: group, namespace })?.spec ?? {};
  return createClassicSource({
    broker,
    store: new AgentSecrets({ client, groups, group, namespace, identity }),
    namePrefix: runnerNamePrefix(group),
    labels: runnerLabels,
    runnerGroupId,
    runner: { version: runnerVersion, os: 'Linux', architecture: runnerArchitecture },
    maxListeners,
    ownerName: identity,
    log,
  });
}
