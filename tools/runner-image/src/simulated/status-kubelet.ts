import { isTyped } from '@interlock/api';
import { Pod, type Client } from '@interlock/kube';
import { watchPods } from './watch-pods.js';

type PodStatus = NonNullable<Pod['status']>;
type ContainerState = NonNullable<NonNullable<PodStatus['containerStatuses']>[number]['state']>;

/**
 * Writes the status of the pods of a namespace in a cluster without kubelets, by the subresource `status`: a new pod runs, and ends
 * when the test requests it. The API server removes a pod without a node at once when it is deleted.
 */
export class StatusKubelet {
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #started = new Map<string, Promise<void>>();
  readonly #watching: Promise<void>;
  /** The reasons why pods could not be started, one sentence each. */
  readonly problems: string[] = [];

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#watching = watchPods(client, namespace, this.#stop.signal, (pod, isGone) => {
      const { uid = '' } = pod.metadata;
      if (isGone) this.#started.delete(uid);
      else if (isReady(pod) && !this.#started.has(uid)) this.#started.set(uid, this.#start(pod));
    });
  }

  /** Writes a status in which the containers of a pod have ended. Does nothing for a pod that is gone. */
  async end(pod: Pod, exitCode: number): Promise<void> {
    const now = new Date().toISOString();
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    const startedAt = pod.status?.startTime ?? now;
    const terminated = { exitCode, reason, startedAt, finishedAt: now };
    await this.#write(pod, exitCode === 0 ? 'Succeeded' : 'Failed', { terminated });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#watching;
    await Promise.all(this.#started.values());
  }

  async #start(pod: Pod): Promise<void> {
    try {
      await this.#write(pod, 'Running', { running: { startedAt: new Date().toISOString() } });
    } catch (error) {
      if (!this.#stop.signal.aborted) this.problems.push(`pod ${pod.metadata.name}: ${String(error)}`);
    }
  }

  async #write(pod: Pod, phase: string, state: ContainerState): Promise<void> {
    const { name, namespace = '' } = pod.metadata;
    const isRunning = state.running !== undefined;
    const status: PodStatus = {
      phase,
      startTime: pod.status?.startTime ?? new Date().toISOString(),
      containerStatuses: (pod.spec?.containers ?? []).map((container) => ({
        name: container.name,
        image: container.image ?? '',
        imageID: '',
        restartCount: 0,
        ready: isRunning,
        started: isRunning,
        state,
      })),
    };
    try {
      await this.#client.patch(
        Pod,
        { name, namespace },
        { type: 'merge', patch: { metadata: { uid: pod.metadata.uid }, status } },
        { subresource: 'status' },
      );
    } catch (error) {
      if (!isTyped(error, 'NotFound', 'Conflict')) throw error;
    }
  }
}

/** Returns whether a pod waits for its node only, and not for a scheduling gate. */
function isReady({ spec, status }: Pod): boolean {
  return (status?.phase ?? 'Pending') === 'Pending' && (spec?.schedulingGates ?? []).length === 0;
}
