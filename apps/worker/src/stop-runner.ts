import { delay, type Clock } from '@interlock/base';
import { workerKillSeconds } from '@interlock/api/worker-contract';
import type { RunnerChannel } from './channel.js';
import { frameChunks, frameTypes } from './frames.js';
import type { RunnerProcess } from './runner-process.js';
import type { StopSignal } from './signals.js';

/** The runner to stop, and its grace period. */
interface Stopping {
  runner: RunnerProcess;
  channel: RunnerChannel;
  clock: Clock;
  graceMs: number;
  log: (line: string) => void;
}

/**
 * The frame for each signal. The program has no access to the API, so the deletion of the pod is how its controller cancels a job:
 * SIGTERM asks the runner to cancel the job, which it then reports as canceled. SIGINT comes from a user at a terminal, not from
 * the kubelet: it asks the runner to shut down, which GitHub then shows at the job.
 */
const frameOf = { SIGTERM: frameTypes.cancelRequest, SIGINT: frameTypes.runnerShutdown } as const;

/**
 * Asks the runner to end its job. If it does not, sends SIGTERM to its process group after the grace period, and SIGKILL five
 * seconds later. Does not wait.
 *
 * @param finished aborts when the runner has ended
 */
export function stopRunner(stopping: Stopping, signal: StopSignal, finished: AbortSignal): void {
  const { channel, log, graceMs } = stopping;
  log(
    `${signal} received: the runner has the grace period of its pod, and at most ${graceMs / 1000} s, to end its job`,
  );
  channel.send(frameChunks(frameOf[signal])).catch((error: Error) => {
    if (!finished.aborted) log(`the runner did not receive the request to end its job: ${error.message}`);
  });
  void endInTime(stopping, finished);
}

async function endInTime({ runner, clock, graceMs, log }: Stopping, finished: AbortSignal): Promise<void> {
  await delay(clock, graceMs, finished);
  if (finished.aborted) return;
  log('the runner did not end its job in time; it is terminated by SIGTERM');
  runner.signalGroup('SIGTERM');
  await delay(clock, workerKillSeconds * 1000, finished);
  if (finished.aborted) return;
  log('the runner is killed by SIGKILL');
  runner.signalGroup('SIGKILL');
}
