import { setTimeout as sleep } from 'node:timers/promises';
import { runnerLabels } from '@interlock/api';
import type { JobHandle } from '@interlock/actions-service';
import { Secret } from '@interlock/kube';
import type { Say } from '../scenario/narrator.js';
import { waitFor } from '../wait-for.js';
import { namespace, type JobsGateway } from './gateway.js';
import { cancelledJob, evictedJob, labelsOf, plannedJobs, repository } from './plan.js';
import { progressLine } from './progress.js';
import { cancelJob, controllerRestarts, evictJob, killLeader } from './scenes.js';
import { jobRows, tableLines, type JobRow } from './table.js';
import { expectedOutcome, findJobProblems, verdictLine } from './verdict.js';

/** A lost claim or a pod that hangs takes minutes to be noticed; without one, all is over in less than one. */
const endTimeoutMs = 240_000;
const pollMs = 100;
const progressMs = 2_000;
/** The replica is killed when so many jobs have ended: others run, and others wait. */
const endedBeforeKill = 10;

/** Queues the jobs, disturbs them, and prints what becomes of them. Returns what is wrong in the end, a sentence each. */
export async function playJobs(gateway: JobsGateway, say: Say, signal: AbortSignal): Promise<string[]> {
  const { service } = gateway;
  const startedAt = Date.now();
  const timed: Say = (line) =>
    say(`  ${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${line}`);
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
  say(`\n${tableLines(rows()).join('\n')}\n\n${verdictLine(service.verdict())}`);
  const restarts = await controllerRestarts(gateway);
  return [
    ...findJobProblems(rows(), service.verdict(), plannedJobs.length),
    ...(restarts === 1 ? [] : [`the controller was killed once, and started again ${restarts} times`]),
  ];
}

function enqueue(
  { service }: JobsGateway,
  { name, group, durationMs }: (typeof plannedJobs)[number],
): JobHandle {
  return service.enqueue({ repository, labels: labelsOf(group), jobName: name, durationHint: durationMs });
}

async function killInTheMiddle(gateway: JobsGateway, say: Say, signal: AbortSignal): Promise<void> {
  const ended = (): number => gateway.service.jobs().filter(({ status }) => status === 'completed').length;
  await waitFor(`${endedBeforeKill} jobs end`, () => Promise.resolve(ended() >= endedBeforeKill), signal);
  await killLeader(gateway, 'linux', say, signal);
}

/** Prints how far the jobs are, when that has changed, until the signal. */
async function report({ service }: JobsGateway, say: Say, signal: AbortSignal): Promise<void> {
  let last = '';
  while (!signal.aborted) {
    const line = progressLine(plannedJobs, service.jobs());
    if (line !== last) say(line);
    last = line;
    await sleep(progressMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Waits until every job has ended as it should and the controller has nothing left to do for any, or until it is late. */
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
