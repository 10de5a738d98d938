import { execFile } from 'node:child_process';
import { delay, type Clock } from '@interlock/base';
import type { StopSignals } from './signals.js';

/** A variable of the runner's own start script, which pod templates with a Docker daemon in another container set. */
const waitVariable = 'RUNNER_WAIT_FOR_DOCKER_IN_SECONDS';

const pauseMs = 1_000;
const answerLimitMs = 10_000;

/** What is needed to wait for Docker. */
interface DockerWait {
  env: NodeJS.ProcessEnv;
  clock: Clock;
  signals: StopSignals;
  isDockerReady: typeof isDockerReady;
}

/**
 * Waits until Docker answers, for the time that the environment sets; without that, returns at once. The runner starts without
 * Docker after that time, as from its own start script: its job may not need it. Returns early at a signal.
 */
export async function waitForDocker({ env, clock, signals, isDockerReady }: DockerWait): Promise<void> {
  const seconds = env[waitVariable] ?? '';
  if (!/^\d{1,9}$/.test(seconds)) return;
  const until = clock.monotonic() + Number(seconds) * 1000;
  const stop = new AbortController();
  signals.onReceived(() => stop.abort());
  while (!stop.signal.aborted && clock.monotonic() < until && !(await isDockerReady(env, stop.signal)))
    await delay(clock, pauseMs, stop.signal);
}

/** Returns whether the Docker daemon answers a call of its client; false at once when `signal` aborts. */
export function isDockerReady(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('docker', ['version'], { env, signal, timeout: answerLimitMs }, (error) =>
      resolve(error === null),
    );
  });
}
