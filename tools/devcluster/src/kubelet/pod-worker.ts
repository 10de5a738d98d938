import { ApiError } from '../api/api-error.js';
import { deleteObject } from '../api/delete.js';
import { updateObject } from '../api/update.js';
import { textAt, type KubeObject } from '../object.js';
import { jsonEqual } from '../schema/json.js';
import { keyOf } from '../store/entry.js';
import { StartProblem } from './container-runtime.js';
import { ContainerWorker } from './container-worker.js';
import { podEvent, type KubeletContext } from './context.js';
import { kubeletContext } from './node/identity.js';
import { decideSteps, type PodFailure, type PodView, type Step } from './lifecycle/decide.js';
import { isAlive } from './lifecycle/record.js';
import { podStatus } from './lifecycle/status.js';
import { containersOf, hasEnded, isDeleted } from './pod-model.js';

const firstRetryMs = 500;
const longestRetryMs = 122_000;
/* Delay of a real kubelet after each failed synchronization of a pod. */
const longestSyncRetryMs = 10_000;

/** Runs a pod of a node until its object is deleted and its resources are removed. */
export class PodWorker {
  readonly #context: KubeletContext;
  readonly #onGone: () => void;
  readonly #containers = new Map<string, ContainerWorker>();
  readonly #startTime: number;
  #pod: KubeObject;
  #sandbox: PodView['sandbox'] = 'none';
  #podIp: string | undefined;
  #prepareAt: number | undefined;
  #prepareDelayMs = firstRetryMs;
  #syncDelayMs = firstRetryMs;
  #failure: PodFailure | undefined;
  #endingSince: number | undefined;
  #timer: { cancel(): void } | undefined;
  #isRunning = false;
  #isDirty = false;
  #isClosed = false;
  #hasObject = true;

  /** @param onGone called once when the resources of the pod are removed. */
  constructor(context: KubeletContext, pod: KubeObject, onGone: () => void) {
    this.#context = context;
    this.#pod = pod;
    this.#onGone = onGone;
    this.#startTime = Date.parse(textAt(pod, 'status', 'startTime')) || context.clock.now();
    const owner = { context, object: () => this.#pod, onChange: () => this.sync() };
    for (const container of containersOf(pod)) {
      this.#containers.set(container.name, new ContainerWorker(owner, container));
    }
  }

  get uid(): string {
    return this.#pod.metadata.uid ?? '';
  }

  get namespace(): string {
    return this.#pod.metadata.namespace ?? '';
  }

  /** Processes the pod after the current turn of the event loop. */
  sync(): void {
    this.#isDirty = true;
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    setImmediate(() => void this.#run());
  }

  /** Retries failed starts after an object in the namespace of the pod has changed. */
  refresh(): void {
    for (const container of this.#containers.values()) container.retry();
    if (this.#sandbox === 'none') this.#prepareAt = undefined;
    else this.#context.runtime.refreshPod(this.#pod).catch(() => undefined);
    this.sync();
  }

  /** Sends SIGKILL to a container, whose end is then treated like any other. Returns whether the container ran. */
  kill(container: string): boolean {
    return this.#containers.get(container)?.crash() ?? false;
  }

  /** Kills all containers without further writes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await Promise.all([...this.#containers.values()].map((container) => container.kill()));
  }

  async #run(): Promise<void> {
    while (this.#isDirty && !this.#isClosed) {
      this.#isDirty = false;
      try {
        await this.#step();
        this.#syncDelayMs = firstRetryMs;
      } catch (error) {
        this.#retryLater(error);
      }
    }
    this.#isRunning = false;
  }

  /** Reports an error and schedules another attempt, for example after a refused write, or when the disk is full. */
  #retryLater(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    const note = `Error syncing pod, skipping: ${why}`;
    podEvent(this.#context, this.#pod, { type: 'Warning', reason: 'FailedSync', note });
    this.#wakeAt(this.#context.clock.now() + this.#syncDelayMs);
    this.#syncDelayMs = Math.min(2 * this.#syncDelayMs, longestSyncRetryMs);
  }

  async #step(): Promise<void> {
    this.#refreshObject();
    const { steps, wakeAt } = decideSteps(this.#view());
    for (const step of steps) this.#apply(step);
    if (!this.#hasObject) return this.#forget();
    /* A pod that has ended keeps its status; but its deletion may have to be completed. */
    await this.#writeStatus();
    if (steps.some(({ type }) => type === 'remove')) await this.#removeObject();
    this.#wakeAt(wakeAt);
  }

  /** Reads the current object of the pod. If it no longer exists, the pod ends as if it were being deleted. */
  #refreshObject(): void {
    const { name, namespace } = this.#pod.metadata;
    const stored = this.#context.cluster.store.get('pods', keyOf(namespace, name))?.object;
    this.#hasObject = stored?.metadata.uid === this.#pod.metadata.uid;
    if (this.#hasObject && stored !== undefined) this.#pod = stored;
    else if (!isDeleted(this.#pod)) {
      const deletionTimestamp = new Date(this.#context.clock.now()).toISOString();
      this.#pod = { ...this.#pod, metadata: { ...this.#pod.metadata, deletionTimestamp } };
    }
    const isEnding = isDeleted(this.#pod) || this.#failure !== undefined;
    if (isEnding) this.#endingSince ??= this.#context.clock.now();
  }

  #view(): PodView {
    return {
      pod: this.#pod,
      records: new Map([...this.#containers].map(([name, { record }]) => [name, record])),
      sandbox: this.#sandbox,
      prepareAt: this.#prepareAt,
      failure: this.#failure,
      startTime: this.#startTime,
      endingSince: this.#endingSince,
      podIp: this.#podIp,
      hostIp: this.#context.hostIp,
      now: this.#context.clock.now(),
    };
  }

  #apply(step: Step): void {
    switch (step.type) {
      case 'prepare':
        this.#sandbox = 'preparing';
        return void this.#prepare();
      case 'start':
        return this.#containers.get(step.container)?.start();
      case 'stop':
        return this.#containers.get(step.container)?.stop(step.graceSeconds);
      case 'hold':
        return this.#containers.get(step.container)?.hold(step.waiting);
      case 'fail':
        this.#fail(step.failure);
        return;
      case 'remove':
        return;
    }
  }

  #fail(failure: PodFailure): void {
    this.#failure = failure;
    const { reason, message } = failure;
    if (reason !== '') podEvent(this.#context, this.#pod, { type: 'Normal', reason, note: message });
    this.sync();
  }

  async #prepare(): Promise<void> {
    const { runtime, clock } = this.#context;
    try {
      const { ip } = await runtime.preparePod(this.#pod);
      this.#podIp = ip;
      this.#sandbox = 'ready';
      this.#prepareDelayMs = firstRetryMs;
    } catch (error) {
      this.#sandbox = 'none';
      this.#prepareAt = clock.now() + this.#prepareDelayMs;
      this.#prepareDelayMs = Math.min(2 * this.#prepareDelayMs, longestRetryMs);
      const note = error instanceof Error ? error.message : String(error);
      const reason = error instanceof StartProblem ? error.reason : 'FailedCreatePodSandBox';
      podEvent(this.#context, this.#pod, { type: 'Warning', reason, note });
    }
    this.sync();
  }

  async #writeStatus(): Promise<void> {
    const { cluster, nodeName } = this.#context;
    const resource = cluster.registry.get('', 'v1', 'pods');
    const { name, namespace = '', uid } = this.#pod.metadata;
    if (resource === undefined || hasEnded(this.#pod)) return;
    const status = podStatus(this.#view());
    if (jsonEqual(status, this.#pod['status'] ?? null)) return;
    const change = (live: KubeObject): KubeObject => (live.metadata.uid === uid ? { ...live, status } : live);
    const update = { namespace, name, subresource: 'status', change, unconditional: true };
    await this.#quietly(updateObject(cluster, resource, update, kubeletContext(nodeName)));
  }

  async #removeObject(): Promise<void> {
    const { cluster, nodeName } = this.#context;
    const resource = cluster.registry.get('', 'v1', 'pods');
    const { name, namespace = '', uid = '' } = this.#pod.metadata;
    if (resource === undefined) return;
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    await this.#quietly(
      deleteObject(cluster, resource, { namespace, name }, options, kubeletContext(nodeName)),
    );
  }

  /** Waits for a write. Ignores its failure if the pod is gone or was replaced. */
  async #quietly(write: Promise<unknown>): Promise<void> {
    try {
      await write;
    } catch (error) {
      if (!(error instanceof ApiError && (error.code === 404 || error.code === 409))) throw error;
    }
  }

  async #forget(): Promise<void> {
    const records = [...this.#containers.values()].map(({ record }) => record);
    if (records.some(isAlive) || this.#sandbox === 'preparing') return;
    await this.#context.runtime.removePod(this.uid);
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#onGone();
  }

  #wakeAt(at: number | undefined): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (at === undefined || this.#isClosed) return;
    const { clock } = this.#context;
    this.#timer = clock.setTimeout(() => this.sync(), Math.max(0, at - clock.now()));
  }
}
