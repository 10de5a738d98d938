import { ifFound, TypedError, type RunnerGroup } from '@interlock/api';
import { timeLimit } from '@interlock/base';
import type { Runs, WorkflowJob } from '@interlock/broker';
import { Later, type ConfigMap, type Observation, type ReconcileContext } from '@interlock/kube';
import { rerunsOfRun } from '../caches.js';
import type { AgcContext } from '../context.js';
import { groupNameOf } from '../group-objects.js';
import { jobSettings } from '../job/settings.js';
import { needsJobs, readAt, type FoundJob, type ObservedRerun, type RunView } from './decide.js';
import type { RerunRecord } from './record.js';
import { rerunOf } from './store.js';

const callTimeoutMs = 30_000;
/**
 * How long after its begin a search goes on to another repository, and in one repository to another run in progress or another ended
 * run: there may be hundreds of each, which are read one by one, and a reconciliation has two minutes.
 */
const searchMs = { repository: 30_000, running: 55_000, ended: 80_000 };
/** How long ago a claim may have been lost. */
const endedWithinMs = 24 * 3_600_000;
/** The shortest time after which a lock expires: ten minutes, less the rounding of times to whole seconds. */
const shortestLapseMs = 10 * 60_000 - 2_000;

type RerunReaders = Pick<AgcContext, 'caches' | 'groups' | 'runs' | 'repositories' | 'namespace' | 'manager'>;

/**
 * Reads a rerun, and its run at GitHub if the decision needs it.
 *
 * @throws TypedError `Permanent` when the record cannot be read, which is reported as an event: a ConfigMap has no status
 */
export async function observeRerun(
  context: RerunReaders,
  config: ConfigMap,
  { now, signal }: Pick<ReconcileContext, 'now' | 'signal'>,
): Promise<Observation<ObservedRerun>> {
  const { caches, groups, runs, namespace } = context;
  const name = groupNameOf(config);
  const group: RunnerGroup | undefined = caches.groups.get({ name, namespace });
  if (groups.get(name) === undefined || group === undefined) return new Later();
  const record = rerunOf(config);
  if (record === undefined) {
    throw new TypedError(
      'Permanent',
      `the ConfigMap ${config.metadata.name} of a rerun cannot be read; delete it`,
      { reason: 'InvalidRecord' },
    );
  }
  const { maxEvictionRetries: maxRetries, evictionRetryDelayMs: delayMs } = jobSettings(group);
  const from = readAt(record, delayMs);
  const ofRun = rerunsOfRun(caches, record);
  const isShared = ofRun.some((other) => isAwaitedToo(rerunOf(other), record));
  const madeByOthers = countMadeByOthers(ofRun, config, record);
  const limits = { maxRetries, delayMs, madeByOthers };
  const nothing = { config, record, ...limits, run: undefined, found: undefined, isShared };
  if (from === undefined || from > now || record.made + madeByOthers >= maxRetries) return nothing;
  if (record.runId === undefined) return { ...nothing, found: await findLost(context, record, signal) };
  return { ...nothing, run: await readRun(runs, record, timeLimit(callTimeoutMs, signal)) };
}

/** Returns whether a record of the run of another record waits for the run as well. */
function isAwaitedToo(other: RerunRecord | undefined, { runners }: RerunRecord): boolean {
  if (other === undefined || other.result !== undefined) return false;
  return !other.runners.some((name) => runners.includes(name));
}

/**
 * Returns how often a run was run again for other records of the same RunnerGroup. The records of one attempt share one
 * rerun, and those of the attempt of this record share the rerun that it requests.
 *
 * @param configs all records of the run
 */
function countMadeByOthers(
  configs: readonly ConfigMap[],
  own: ConfigMap,
  { runAttempt }: RerunRecord,
): number {
  const madeByAttempt = new Map<number | undefined, number>();
  for (const config of configs) {
    if (config.metadata.name === own.metadata.name || groupNameOf(config) !== groupNameOf(own)) continue;
    const other = rerunOf(config);
    if (other === undefined || other.runAttempt === runAttempt) continue;
    madeByAttempt.set(other.runAttempt, Math.max(other.made, madeByAttempt.get(other.runAttempt) ?? 0));
  }
  return [...madeByAttempt.values()].reduce((sum, made) => sum + made, 0);
}

async function readRun(runs: Runs, record: RerunRecord, signal: AbortSignal): Promise<RunView | 'gone'> {
  const { repository = '', runId = '', restJobIds, runners } = record;
  const run = await ifFound(runs.get(repository, runId, signal));
  if (run === undefined) return 'gone';
  const isCompleted = run.status === 'completed';
  const { attempt, conclusion } = run;
  if (isCompleted || !needsJobs(record)) return { isCompleted, conclusion, attempt, othersActive: 0 };
  const jobs = await ifFound(runs.jobs(repository, runId, attempt, signal));
  const isOurs = ({ id, runnerName }: WorkflowJob): boolean =>
    restJobIds.includes(id) || (runnerName !== undefined && runners.includes(runnerName));
  const others = jobs?.filter((job) => job.status !== 'completed' && !isOurs(job));
  /* If GitHub does not show the jobs of a run, any of them may be active. */
  return { isCompleted, conclusion, attempt, othersActive: others?.length ?? 1 };
}

/**
 * Returns the job of the runner of a lost claim, which may have ended; undefined while GitHub shows none in the repositories that
 * can be searched in time, those that were pushed to last.
 */
async function findLost(
  { runs, repositories, manager: { clock } }: Pick<RerunReaders, 'runs' | 'repositories' | 'manager'>,
  { runners, requestedAt }: RerunRecord,
  signal: AbortSignal,
): Promise<FoundJob | undefined> {
  const runnerName = runners.at(-1) ?? '';
  const startedAt = clock.monotonic();
  const within = (ms: number) => () => clock.monotonic() <= startedAt + ms;
  const running = { runnerName, mayContinue: within(searchMs.running) };
  const ended = { runnerName, mayContinue: within(searchMs.ended) };
  const mayBegin = within(searchMs.repository);
  for (const repository of (await ifFound(repositories(signal))) ?? []) {
    if (!mayBegin()) break;
    const job =
      (await ifFound(runs.findByRunner(repository, running, signal))) ??
      (await ifFound(runs.findEndedByRunner(repository, ended, requestedAt - endedWithinMs, signal)));
    if (job === undefined) continue;
    const { runId, runAttempt, id } = job;
    return { repository, runId, runAttempt, restJobId: id, isCancelledEarly: isCancelledEarly(job) };
  }
  return undefined;
}

/**
 * Returns whether a job was cancelled before its lock can have expired without renewals; both times are measured by the same
 * clock.
 */
function isCancelledEarly({ conclusion, startedAt, completedAt }: WorkflowJob): boolean {
  if (conclusion !== 'cancelled' || startedAt === undefined || completedAt === undefined) return false;
  return completedAt - startedAt < shortestLapseMs;
}
