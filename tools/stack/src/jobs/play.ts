import { setTimeout as sleep } from 'node:timers/promises';
import { runnerLabels } from '@interlock/api';
import type { JobHandle } from '@interlock/actions-service';
import { Secret } from '@interlock/kube';
import type { Print } from '../scenario/narrator.js';
import { waitFor } from '../wait-for.js';
import { namespace, type JobsGateway } from './gateway.js';
import { cancelledJob, evictedJob, labelsOf, plannedJobs, repository } from './plan.js';
import { progressLine } from './progress.js';
import { cancelJob, controllerRestarts, evictJob, killLeader } from './scenes.js';
import { jobRows, tableLines, type JobRow } from './table.js';
import { expectedOutcome, findJobProblems, verdictLine } from './verdict.js';

/** Timeout for all jobs. They take less than a minute; detecting a lost claim or a hanging pod takes several. */
const endTimeoutMs = 240_000;
const pollMs = 100;
const progressMs = 2_000;
/** Number of ended jobs after which the replica is killed, while others run or wait. */
const endedBeforeKill = 10;

/** Queues the jobs, disturbs them, and prints their results. Returns the problems at the end, one sentence each. */
export async function playJobs(gateway: JobsGateway, print: Print, signal: AbortSignal): Promise<string[]> {
  const { service } = gateway;
  const startedAt = Date.now();
  const timed: Print = (line) =>
    print(`  ${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${line}`);
  const handles = new Map(plannedJobs.map((job) => [job.name, enqueue(gateway, job)]));
  timed(`queues ${handles.size} jobs of ${repository}`);
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  const jobOf = (name: string): JobHandle => handles.get(name) as JobHandle;
  const scenes = [
    evictJob(gateway, jobOf(evictedJob), timed, stop),
    cancelJob(gateway, jobOf(cancelledJob), timed, stop),
    killInTheMiddle(gateway, timed, stop),
  ];
  const rows = (): JobRow[] =>
    jobRows({
      jobs: service.jobs(),
      events: service.events.entries(),
      pods: gateway.pods.names,
      startedAt,
    });
  const reporting = report(gateway, timed, stop);
  try {
    await Promise.all(scenes);
    await untilEnded(gateway, rows, stop);
  } finally {
    failure.abort();
    await Promise.allSettled([...scenes, reporting]);
  }
  print(`\n${tableLines(rows()).join('\n')}\n\n${verdictLine(service.verdict())}`);
  const restarts = await controllerRestarts(gateway);
  return [
    ...findJobProblems(rows(), service.verdict(), plannedJobs.length),
    ...(restarts === 1 ? [] : [`the controller was killed once, but restarted ${restarts} times`]),
  ];
}

function enqueue(
  { service }: JobsGateway,
  { name, group, durationMs }: (typeof plannedJobs)[number],
): JobHandle {
  return service.enqueue({ repository, labels: labelsOf(group), jobName: name, durationHint: durationMs });
}

async function killInTheMiddle(gateway: JobsGateway, print: Print, signal: AbortSignal): Promise<void> {
  const ended = (): number => gateway.service.jobs().filter(({ status }) => status === 'completed').length;
  await waitFor(`${endedBeforeKill} jobs end`, () => Promise.resolve(ended() >= endedBeforeKill), signal);
  await killLeader(gateway, 'linux', print, signal);
}

/** Prints the progress of the jobs when it changes, until the signal aborts. */
async function report({ service }: JobsGateway, print: Print, signal: AbortSignal): Promise<void> {
  let last = '';
  while (!signal.aborted) {
    const line = progressLine(plannedJobs, service.jobs());
    if (line !== last) print(line);
    last = line;
    await sleep(progressMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Waits until every job has the expected conclusion and the controller has finished its work, or until the timeout. */
async function untilEnded(
  { client, service }: JobsGateway,
  rows: () => JobRow[],
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = `${runnerLabels.component}=job`;
  const deadline = Date.now() + endTimeoutMs;
  while (Date.now() < deadline) {
    const isDone =
      service.verdict().open === 0 && rows().every(({ name, outcome }) => outcome === expectedOutcome(name));
    if (isDone) {
      const { items } = await client.list(Secret, { namespace, labelSelector, metadataOnly: true, signal });
      if (items.length === 0) return;
    }
    await sleep(pollMs, undefined, { signal });
  }
}
