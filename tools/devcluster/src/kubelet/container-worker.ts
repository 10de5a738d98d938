import { errorText } from '../error-text.js';
import { objectAt, textAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import {
  StartProblem,
  type ContainerExit,
  type HandlerResult,
  type RunningContainer,
} from './container-runtime.js';
import { podEvent, type KubeletContext } from './context.js';
import { runHook } from './hooks.js';
import { afterRestart, nextDelay } from './lifecycle/backoff.js';
import { restoredRecord, type ContainerRecord, type Waiting } from './lifecycle/record.js';
import { graceSecondsOf, type PodContainer } from './pod-model.js';
import { probeSettings, type ProbeKind, type ProbeSettings } from './probes/probe-state.js';
import { Prober } from './probes/prober.js';

/** Minimum time between the stop signal and SIGKILL. */
const leastGraceMs = 2_000;
/** Delay before a failed start is retried, unless a referenced object changes earlier. */
const configRetryMs = 10_000;

/** The part of a pod that a container depends on. */
interface OwningPod {
  context: KubeletContext;
  /** The last observed pod. */
  object: () => KubeObject;
  /** Called when the record of the container has changed. */
  onChange: () => void;
}

/** Starts, probes and stops one container of a pod. */
export class ContainerWorker {
  readonly record: ContainerRecord;
  readonly #pod: OwningPod;
  readonly #container: PodContainer;
  #running: RunningContainer | undefined;
  #prober: Prober | undefined;
  #killTimer: { cancel(): void } | undefined;
  #killAt = Infinity;

  constructor(pod: OwningPod, container: PodContainer) {
    this.#pod = pod;
    this.#container = container;
    this.record = restoredRecord(pod.object(), container.name, pod.context.clock.now());
  }

  /** Starts the container, or records the reason why it cannot start. */
  start(): void {
    const { record } = this;
    const { clock } = this.#pod.context;
    if (record.termination !== undefined) {
      record.backoff = afterRestart(record.backoff, record.termination.finishedAt, clock.now());
    }
    record.state = 'starting';
    this.#start()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => this.#pod.onChange());
  }

  /** Marks the container as waiting with a reason, which becomes part of the status. */
  hold(waiting: Waiting): void {
    this.record.waiting = waiting;
    const { image } = this.#container.spec;
    if (waiting.reason === 'ImagePullBackOff') {
      this.#event('Normal', 'BackOff', `Back-off pulling image "${String(image)}"`);
      this.#event('Warning', 'Failed', 'Error: ImagePullBackOff');
      return;
    }
    const { name, namespace = '', uid = '' } = this.#pod.object().metadata;
    const which = `${this.#container.name} in pod ${name}_${namespace}(${uid})`;
    this.#event('Warning', 'BackOff', `Back-off restarting failed container ${which}`);
  }

  /** Immediately retries a start that failed because of a missing object. */
  retry(): void {
    const { record } = this;
    if (record.waiting?.reason === 'CreateContainerConfigError') record.retryAt = undefined;
  }

  /**
   * Ends the container: the preStop hook, SIGTERM, and after the rest of the grace period SIGKILL. A later call can only
   * shorten the time.
   */
  stop(graceSeconds: number, note = `Stopping container ${this.#container.name}`): void {
    const running = this.#running;
    if (running === undefined) return;
    const { clock } = this.#pod.context;
    const killAt = clock.monotonic() + graceSeconds * 1000;
    const isFirst = !this.record.isStopping;
    if (!isFirst && killAt >= this.#killAt) return;
    this.record.isStopping = true;
    this.#killAt = killAt;
    if (!isFirst) return this.#killLater(running, killAt);
    this.#prober?.stop();
    this.#event('Normal', 'Killing', note);
    void this.#end(running, graceSeconds);
  }

  /** Sends SIGKILL to the container, which its restart policy may restart. Returns whether the container ran. */
  crash(): boolean {
    this.#running?.signal('SIGKILL');
    return this.#running !== undefined;
  }

  /** Kills the container immediately. Resolves when it has ended. */
  async kill(): Promise<void> {
    this.#prober?.stop();
    this.#killTimer?.cancel();
    const running = this.#running;
    running?.signal('SIGKILL');
    await running?.ended;
  }

  async #end(running: RunningContainer, graceSeconds: number): Promise<void> {
    const preStop = objectAt(this.#container.spec, 'lifecycle', 'preStop');
    if (Object.keys(preStop).length > 0) {
      const result = await this.#hook(preStop, graceSeconds * 1000);
      if (!result.isSuccess) this.#event('Warning', 'FailedPreStopHook', `PreStopHook failed`);
    }
    const least = this.#pod.context.clock.monotonic() + leastGraceMs;
    if (this.#running !== running) return;
    const stopSignal = textAt(this.#container.spec, 'lifecycle', 'stopSignal') || 'SIGTERM';
    running.signal(stopSignal as NodeJS.Signals);
    this.#killLater(running, Math.max(least, this.#killAt));
  }

  #killLater(running: RunningContainer, at: number): void {
    const { clock } = this.#pod.context;
    this.#killTimer?.cancel();
    this.#killTimer = clock.setTimeout(() => running.signal('SIGKILL'), Math.max(0, at - clock.monotonic()));
  }

  async #start(): Promise<void> {
    const { record } = this;
    const { runtime, clock } = this.#pod.context;
    const { spec } = this.#container;
    await this.#pull();
    const restartCount = record.termination === undefined ? record.restartCount : record.restartCount + 1;
    const running = await runtime.startContainer({ pod: this.#pod.object(), container: spec, restartCount });
    this.#event('Normal', 'Created', 'Container created');
    this.#event('Normal', 'Started', 'Container started');
    this.#running = running;
    this.#killAt = Infinity;
    Object.assign(record, {
      state: 'running',
      restartCount,
      previous: record.termination ?? record.previous,
      termination: undefined,
      waiting: undefined,
      retryAt: undefined,
      pullDelayMs: undefined,
      startedAt: clock.now(),
      containerId: `${runtime.name}://${running.id}`,
      isStopping: false,
      isStarted: false,
      isReady: probeSettings(spec, 'readiness') === undefined,
    } satisfies Partial<ContainerRecord>);
    void running.ended.then((exit) => this.#ended(exit));
    this.#pod.onChange();
    await this.#postStart(running);
  }

  async #pull(): Promise<void> {
    const { record } = this;
    const image = textAt(this.#container.spec, 'image');
    record.imageId = await this.#pod.context.runtime.pullImage(image);
    const note = `Container image "${image}" already present on machine and can be accessed by the pod`;
    this.#event('Normal', 'Pulled', note);
  }

  async #postStart(running: RunningContainer): Promise<void> {
    const postStart = objectAt(this.#container.spec, 'lifecycle', 'postStart');
    if (Object.keys(postStart).length > 0) {
      const result = await this.#hook(postStart, graceSecondsOf(this.#pod.object()) * 1000);
      if (this.#running !== running) return;
      if (!result.isSuccess) {
        this.#event('Warning', 'FailedPostStartHook', 'PostStartHook failed');
        return this.stop(graceSecondsOf(this.#pod.object()), 'FailedPostStartHook');
      }
    }
    if (this.#running !== running || this.record.isStopping) return;
    this.record.isStarted = probeSettings(this.#container.spec, 'startup') === undefined;
    this.#prober = new Prober(this.#container.spec, {
      clock: this.#pod.context.clock,
      call: (handler, timeoutMs) => this.#call(handler, timeoutMs),
      onFailure: (kind, output) =>
        this.#event('Warning', 'Unhealthy', `${titles[kind]} probe failed: ${output}`),
      onVerdict: (kind, isSuccess, settings) => this.#judged(kind, isSuccess, settings),
    });
  }

  #judged(kind: ProbeKind, isSuccess: boolean, { graceSeconds }: ProbeSettings): void {
    const { record } = this;
    if (kind === 'readiness') record.isReady = isSuccess;
    else if (kind === 'startup' && isSuccess) record.isStarted = true;
    else if (!isSuccess) {
      const note = `Container ${this.#container.name} failed ${kind} probe, will be restarted`;
      this.stop(graceSeconds ?? graceSecondsOf(this.#pod.object()), note);
    }
    this.#pod.onChange();
  }

  #ended({ exitCode, signal, reason, message }: ContainerExit): void {
    const { record } = this;
    this.#prober?.stop();
    this.#prober = undefined;
    this.#killTimer?.cancel();
    this.#running = undefined;
    record.state = 'ended';
    record.termination = {
      exitCode,
      signal,
      reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
      message,
      startedAt: record.startedAt,
      finishedAt: this.#pod.context.clock.now(),
      containerId: record.containerId,
    };
    Object.assign(record, { isStarted: false, isReady: false, isStopping: false });
    this.#pod.onChange();
  }

  #failed(error: unknown): void {
    const { record } = this;
    const now = this.#pod.context.clock.now();
    const message = errorText(error);
    const reason = error instanceof StartProblem ? error.reason : 'StartError';
    record.state = record.termination === undefined ? 'new' : 'ended';
    if (reason === 'ErrImagePull') {
      record.pullDelayMs = nextDelay(record.pullDelayMs);
      Object.assign(record, {
        pullFailedAt: now,
        retryAt: now + record.pullDelayMs,
        waiting: { reason, message },
      });
      const image = textAt(this.#container.spec, 'image');
      this.#event('Normal', 'Pulling', `Pulling image "${image}"`);
      this.#event('Warning', 'Failed', `Failed to pull image "${image}": ${message}`);
      return this.#event('Warning', 'Failed', `Error: ${reason}`);
    }
    this.#event('Warning', 'Failed', `Error: ${message}`);
    if (reason !== 'StartError') {
      Object.assign(record, { retryAt: now + configRetryMs, waiting: { reason, message } });
      return;
    }
    if (record.termination !== undefined) record.restartCount += 1;
    record.previous = record.termination ?? record.previous;
    record.waiting = undefined;
    record.state = 'ended';
    record.termination = { exitCode: 128, reason, message, finishedAt: now };
  }

  #hook(handler: JsonObject, timeoutMs: number): Promise<HandlerResult> {
    return runHook(this.#pod.context.clock, handler, timeoutMs, () => this.#call(handler, timeoutMs));
  }

  #call(handler: JsonObject, timeoutMs: number): Promise<HandlerResult> {
    const call = { pod: this.#pod.object(), container: this.#container.spec, handler, timeoutMs };
    return this.#pod.context.runtime.call(call);
  }

  #event(type: 'Normal' | 'Warning', reason: string, note: string): void {
    podEvent(this.#pod.context, this.#pod.object(), { type, reason, note, container: this.#container });
  }
}

const titles: Readonly<Record<ProbeKind, string>> = {
  startup: 'Startup',
  liveness: 'Liveness',
  readiness: 'Readiness',
};
