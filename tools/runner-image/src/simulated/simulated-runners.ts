import { setTimeout } from 'node:timers/promises';
import { workerExitCodes } from '@interlock/api';
import { waitFor } from '@interlock/base';
import type { Client, Pod } from '@interlock/kube';
import { JobCalls } from './job-calls.js';
import { readPayload } from './pod-payload.js';
import { watchPods } from './watch-pods.js';

/** The behavior of the runner of a pod. */
interface RunnerBehaviour {
  /** Milliseconds that a job takes; by default the time that the job requests. */
  durationMs?: number | undefined;
  conclusion: 'succeeded' | 'failed';
}

interface SimulatedRunnersOptions {
  client: Client;
  namespace: string;
  /** Writes a status in which the container of the runner of a pod has ended with an exit code. */
  end(pod: Pod, exitCode: number): Promise<void>;
}

/**
 * Simulates the runner in every running worker pod of a namespace: reads the payload that the pod mounts,
 * reports that it has started, and concludes the job as Runner.Worker does. A pod that is deleted ends its runner without a report.
 */
export class SimulatedRunners {
  readonly #options: SimulatedRunnersOptions;
  readonly #stop = new AbortController();
  readonly #running = new Map<string, { ended: Promise<void>; kill: AbortController }>();
  readonly #hanging = new Map<string, () => void>();
  readonly #watching: Promise<void>;
  behaviour: RunnerBehaviour = { durationMs: 20, conclusion: 'succeeded' };
  /** Makes runners that start later hang until {@link finish} is called. */
  hangsAll = false;

  constructor(options: SimulatedRunnersOptions) {
    this.#options = options;
    const { client, namespace } = options;
    this.#watching = watchPods(client, namespace, this.#stop.signal, (pod, isGone) =>
      this.#take(pod, isGone),
    );
  }

  /** Lets the hanging runner of a pod conclude its job as soon as it has started. */
  async finish({ metadata: { uid = '' } }: Pod): Promise<void> {
    this.#hanging.get(uid)?.();
    await this.#running.get(uid)?.ended;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#watching;
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #take(pod: Pod, isGone: boolean): void {
    const { uid = '', name, deletionTimestamp } = pod.metadata;
    const known = this.#running.get(uid);
    if (isGone || deletionTimestamp !== undefined) return known?.kill.abort();
    if (pod.status?.phase !== 'Running' || known !== undefined) return;
    const kill = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, kill.signal]);
    const ended = this.#play(pod, signal).catch((error: unknown) => {
      if (!signal.aborted) process.emitWarning(`the runner of pod ${name}: ${String(error)}`);
    });
    this.#running.set(uid, { ended, kill });
  }

  async #play(pod: Pod, signal: AbortSignal): Promise<void> {
    const { uid = '' } = pod.metadata;
    const { durationMs, conclusion } = this.behaviour;
    /* The service shows that a job has started before its runner learns so: finish may come in between. */
    const released = this.hangsAll
      ? new Promise<void>((resolve) => void this.#hanging.set(uid, resolve))
      : undefined;
    const job = new JobCalls(await readPayload(this.#options.client, pod));
    await job.start(uid, signal);
    if (released === undefined) await setTimeout(durationMs ?? job.durationMs, undefined, { signal });
    else await waitFor(released, signal);
    this.#hanging.delete(uid);
    await job.complete(conclusion, signal);
    await this.#options.end(pod, workerExitCodes[conclusion]);
  }
}
