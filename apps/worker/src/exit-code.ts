import { constants } from 'node:os';
import { workerExitCodes } from '@interlock/api/worker-contract';
import { runnerResults, type RunnerResult } from '@interlock/api/worker-report';

/** The end of a process. */
export interface ProcessEnd {
  /** Exit code; null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Returns the exit code of a process that a signal ends, as a shell reports it: 128 + the number of the signal. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/**
 * Returns the exit code of the container for the end of the runner. A pod of a job that succeeded has succeeded; 0 is not a result
 * of a runner, so it counts as a crash.
 */
export function containerExitCode({ code, signal }: ProcessEnd): number {
  if (signal !== null) return signalExitCode(signal);
  const result = runnerResult(code);
  if (result === 'succeeded' || result === 'succeededWithIssues') return workerExitCodes.succeeded;
  return code || workerExitCodes.crashed;
}

/** Returns the result of the job that the exit code of a runner represents; undefined for a crash. */
export function runnerResult(code: number | null): RunnerResult | undefined {
  return code === null ? undefined : (runnerResults as Record<number, RunnerResult | undefined>)[code];
}
