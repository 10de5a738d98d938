import { textAt, type KubeObject } from '../object.js';
import type { StoreEvent } from '../store/entry.js';
import type { KubeletContext } from './context.js';
import type { ContainerLog, NodeAgent } from './logs/container-log.js';
import { PodWorker } from './pod-worker.js';

/** Collections of objects to which pods can refer. */
const referred = ['configmaps', 'secrets', 'serviceaccounts'];

/** Runs the pods that are bound to one node. */
export class Kubelet implements NodeAgent {
  readonly #context: KubeletContext;
  readonly #pods = new Map<string, PodWorker>();
  #unsubscribe: (() => void) | undefined;

  constructor(context: KubeletContext) {
    this.#context = context;
  }

  get nodeName(): string {
    return this.#context.nodeName;
  }

  /** Starts running the current and future pods of the node. */
  start(): void {
    const { store } = this.#context.cluster;
    this.#unsubscribe = store.subscribe((event) => this.#take(event));
    for (const { object } of store.entries('pods')) this.#consider(object);
  }

  /** Returns the log of a run of a container; undefined when it is not kept. */
  log(containerId: string): ContainerLog | undefined {
    return this.#context.runtime.log(containerId);
  }

  /**
   * Sends SIGKILL to a running container, which is not possible through the API server. Returns whether the container
   * ran.
   */
  kill(podUid: string, container: string): boolean {
    return this.#pods.get(podUid)?.kill(container) ?? false;
  }

  /** Ends all containers and removes their resources. The Pod objects remain. */
  async close(): Promise<void> {
    this.#unsubscribe?.();
    await Promise.all([...this.#pods.values()].map((pod) => pod.close()));
    this.#pods.clear();
    await this.#context.runtime.close();
  }

  #take({ entry, type }: StoreEvent): void {
    const { collection, namespace, object } = entry;
    if (collection === 'pods') {
      if (type === 'DELETED') this.#pods.get(object.metadata.uid ?? '')?.sync();
      else this.#consider(object);
    } else if (type !== 'DELETED' && referred.includes(collection)) {
      for (const pod of this.#pods.values()) if (pod.namespace === namespace) pod.refresh();
    }
  }

  #consider(pod: KubeObject): void {
    const { uid } = pod.metadata;
    if (uid === undefined || textAt(pod, 'spec', 'nodeName') !== this.nodeName) return;
    const known = this.#pods.get(uid);
    if (known !== undefined) return known.sync();
    const worker = new PodWorker(this.#context, pod, () => this.#pods.delete(uid));
    this.#pods.set(uid, worker);
    worker.sync();
  }
}
