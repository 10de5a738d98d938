import type { Logger } from '@interlock/base';
import type { JobDecision } from './decide.js';
import type { ObservedJob } from './observed.js';
import type { JobOutcome } from './outcome.js';
import type { JobRecord } from './record.js';

/** Returns the fields by which all lines of the log about a job are found. */
export function jobFields(
  job: string,
  { run, runnerName }: Pick<JobRecord, 'run' | 'runnerName'>,
): Record<string, unknown> {
  const { repository, runId, jobName } = run ?? {};
  return { job, repository, runId, jobName, runner: runnerName };
}

/** Writes a line to the log about a step that a job has taken; none if it only waits. */
export function logJob(
  log: Pick<Logger, 'info'> | undefined,
  { record, secret, pod }: ObservedJob,
  decision: JobDecision,
  outcome: JobOutcome,
): void {
  const line = (message: string, fields: object): void =>
    log?.info({ ...jobFields(secret.metadata.name, record), ...fields }, message);
  switch (outcome.type) {
    case 'created':
      return line('created the worker pod of a job', { pod: outcome.pod });
    case 'refused':
      return line('the worker pod of a job was refused', { error: outcome.message, isLast: outcome.isLast });
    case 'stopped':
      return line('deleted the worker pod of a job', { pod: pod?.name, reason: outcome.reason });
    case 'relaunched':
      return line('the worker pod of a job is replaced', { pod: pod?.name, cause: outcome.message });
    case 'concluded': {
      if (decision.type !== 'conclude') return;
      const { ending, result, exitCode, message: cause } = decision.end;
      return line('a job has ended', { ending, result, exitCode, cause, rerun: outcome.rerun });
    }
    case 'none':
      if (decision.type === 'markStarted') line('the runner of a job has started', { pod: pod?.name });
      return;
    case 'crowdedOut':
      return;
  }
}
