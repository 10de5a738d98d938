import { isTyped, messageOf } from '@interlock/api';
import { timeLimit, type Logger } from '@interlock/base';
import type { JobConclusion, JobLock } from '@interlock/broker';
import type { AgcContext } from '../context.js';
import type { JobOutcome } from './outcome.js';
import { aftermathOf, type Aftermath } from './aftermath.js';
import type { ObservedJob } from './observed.js';
import type { JobEnd } from './record.js';

/** The timeout of a conclusion; a call that takes longer counts as unanswered, and is repeated. */
const callTimeoutMs = 30_000;
/** After this time the service has ended the job itself: its lock has expired, and so has the timeout of the service. */
const givenUpMs = 20 * 60_000;

/**
 * Takes all steps that follow from the end of a job, in an order that allows a crash at any point: the record of the rerun, whose name is
 * derived from the run; the conclusions, which the service accepts once; the runner; and last the record of the job.
 *
 * @throws TypedError when the service or the API server does not answer
 */
export async function concludeAtService(
  context: AgcContext,
  observed: ObservedJob,
  end: JobEnd,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const { secret, record, group } = observed;
  const { jobs, locks, groups, ended, manager } = context;
  const { name } = secret.metadata;
  const { conclusion, siblings, rerun } = aftermathOf(end);
  const work = groups.get(group.metadata.name);
  if (work === undefined) return { type: 'none' };
  ended.add(record.planId, siblings);
  const isLate = manager.clock.now() - end.at > givenUpMs;
  /* GitHub shows a job that the service has ended as cancelled. */
  const isUnconcluded = isLate && conclusion !== undefined;
  /* Before the conclusion, which may end the run: another RunnerGroup with a job of the run would run it again alone. */
  const scheduled = await scheduleRerun(context, observed, isUnconcluded ? stuck(rerun) : rerun, signal);
  let isRefused = false;
  if (!isLate && (conclusion !== undefined || record.siblings.length > 0)) {
    const [own, ...others] = await jobs.locks(
      { name, namespace: context.namespace },
      record.siblings,
      signal,
    );
    if (own !== undefined && conclusion !== undefined)
      isRefused = (await complete(work.log, work.source.lock(own), conclusion, end, signal)) === 'refused';
    for (const other of others) await complete(work.log, work.source.lock(other), siblings, end, signal);
  }
  /* The service refuses the failure of a job that was not started, and does not end such a job soon. */
  if (isRefused) await scheduleRerun(context, observed, stuck(rerun), signal);
  for (const key of [record.key, ...record.siblings]) await work.release(key, signal);
  locks.drop(name);
  await jobs.remove(observed, signal);
  return { type: 'concluded', rerun: scheduled };
}

/** Returns the rerun of a job that cannot be concluded. */
function stuck(rerun: Aftermath['rerun']): Aftermath['rerun'] {
  return rerun && { ...rerun, cause: 'abandoned' };
}

/** Requests the rerun of the run of a job, and returns whether it is requested. @throws ApiError */
async function scheduleRerun(
  { reruns }: AgcContext,
  { record: { run, runnerName }, group, settings }: ObservedJob,
  rerun: Aftermath['rerun'],
  signal: AbortSignal,
): Promise<'none' | 'scheduled' | 'unknownRun'> {
  if (rerun === undefined || settings.maxEvictionRetries === 0) return 'none';
  if (run === undefined) return 'unknownRun';
  await reruns.schedule(group, { ...rerun, run, runnerName }, signal);
  return 'scheduled';
}

/** Concludes a delivery, and returns whether the service accepts that. @throws TypedError when it does not answer */
async function complete(
  log: Logger,
  lock: JobLock,
  conclusion: JobConclusion,
  end: JobEnd,
  signal: AbortSignal,
): Promise<'accepted' | 'refused'> {
  const annotation =
    conclusion === 'failed' && end.message !== undefined
      ? {
          title: 'The runner was lost',
          message: end.message,
          isInfrastructureIssue: end.ending === 'disrupted',
        }
      : undefined;
  try {
    await lock.complete(conclusion, timeLimit(callTimeoutMs, signal), annotation);
    return 'accepted';
  } catch (error) {
    if (isTyped(error, 'Transient', 'RateLimited')) throw error;
    /* The service will not accept the conclusion later either. */
    log.warn({ conclusion, error: messageOf(error) }, 'could not conclude a job');
    return 'refused';
  }
}
