/** Exit code of the runner, and what it means; the runner adds 100 to its result. */
export const runnerResults = {
  100: 'succeeded',
  101: 'succeededWithIssues',
  102: 'failed',
  103: 'canceled',
  104: 'skipped',
  105: 'abandoned',
} as const;

/** How a runner names the end of its job. */
export type RunnerResult = (typeof runnerResults)[keyof typeof runnerResults];

/**
 * What the program of a worker pod leaves in the termination message of its container, which the kubelet copies to
 * `status.containerStatuses[].state.terminated.message`. It is written before the runner can have read the whole job,
 * and again at the end: after SIGKILL, an out-of-memory kill or an eviction, the last report that was written remains.
 */
export interface WorkerReport {
  /** The runner may have read the job. False is certain: the same payload can be given to another pod. */
  jobSent: boolean;
  /** Exit code of the runner; absent while it runs, and when a signal ended it. */
  exitCode?: number | undefined;
  /** How the job ended; absent unless the runner has returned a result, after its attempts to report it to GitHub. */
  result?: RunnerResult | undefined;
  /** What prevented the start, or ended it early: one sentence without content of the job. */
  problem?: string | undefined;
}

const reportVersion = 1;
/** The kubelet reads at most 4096 bytes. */
const maxReportLength = 4096;
const maxProblemLength = 1000;

/** Returns the text of a report; at most 4096 bytes, of printable ASCII. */
export function encodeWorkerReport({ jobSent, exitCode, result, problem }: WorkerReport): string {
  const sentence = problem?.replace(/[^\x20-\x7e]/g, '?').slice(0, maxProblemLength);
  return JSON.stringify({ version: reportVersion, jobSent, exitCode, result, problem: sentence });
}

/**
 * Returns the report in a termination message; undefined for a text that is not a report. Fields of a later version and
 * fields with an unknown value are omitted. The text comes from a container that the tenant controls: use it only as a
 * statement of the tenant about the tenant's own job.
 */
export function parseWorkerReport(message: string | undefined): WorkerReport | undefined {
  if (message === undefined || message.length > maxReportLength) return undefined;
  const value = parsedJson(message);
  if (typeof value !== 'object' || value === null) return undefined;
  const { jobSent, exitCode, result, problem } = value as Record<string, unknown>;
  if (typeof jobSent !== 'boolean') return undefined;
  return {
    jobSent,
    exitCode: Number.isInteger(exitCode) ? (exitCode as number) : undefined,
    result: Object.values(runnerResults).find((known) => known === result),
    problem: typeof problem === 'string' ? problem.slice(0, maxProblemLength) : undefined,
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
