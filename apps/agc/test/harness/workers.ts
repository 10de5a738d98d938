import { workerDefaults, type ObjectKey } from '@interlock/api';
import type { SimulatedPods } from '@interlock/devcluster';
import { Pod, Secret, type Client } from '@interlock/kube';
import { request } from 'undici';

/** How the runner of a pod behaves. */
export interface WorkerBehaviour {
  /** Milliseconds that a job takes. */
  durationMs: number;
  /** How the runner ends. Default: it reports success. */
  conclusion: 'succeeded' | 'failed';
}

interface Payload {
  plan: { planId: string };
  jobId: string;
  resources: {
    endpoints: {
      url: string;
      data: { ResultsServiceUrl: string };
      authorization: { parameters: { AccessToken: string } };
    }[];
  };
}

const exitCodes = { succeeded: 0, failed: 102, canceled: 103 };

/**
 * Stands in for the runner in every worker pod of a namespace: reads the payload that the pod mounts, reports that it has started,
 * and concludes the job as Runner.Worker does, while the simulated kubelet shows its container.
 */
export class Workers {
  readonly #seen = new Set<string>();
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  behaviour: WorkerBehaviour = { durationMs: 20, conclusion: 'succeeded' };
  /** Runners that start from now on hang, until {@link finish}. */
  hangsAll = false;
  readonly #hanging = new Map<string, () => Promise<void>>();

  constructor(
    private readonly client: Client,
    private readonly pods: SimulatedPods,
    private readonly namespace: string,
  ) {
    void this.#watch();
  }

  /** Has the runner of a pod that hangs conclude its job. */
  async finish({ metadata: { uid = '' } }: Pod): Promise<void> {
    await this.#hanging.get(uid)?.();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#running);
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const { items, resourceVersion } = await this.client.list(Pod, { namespace: this.namespace, signal });
        for (const pod of items) this.#take(pod);
        const options = { namespace: this.namespace, resourceVersion, signal };
        for await (const event of this.client.watch(Pod, options)) {
          if (event.type === 'ADDED' || event.type === 'MODIFIED') this.#take(event.object);
        }
      } catch {
        /* The watch is begun again. */
      }
    }
  }

  #take(pod: Pod): void {
    const { uid = '', name, deletionTimestamp } = pod.metadata;
    if (pod.status?.phase !== 'Running' || this.#seen.has(uid) || deletionTimestamp !== undefined) return;
    this.#seen.add(uid);
    const running = this.#work(pod)
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) process.emitWarning(`worker ${name}: ${String(error)}`);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #work(pod: Pod): Promise<void> {
    const { name, uid = '' } = pod.metadata;
    const { durationMs, conclusion } = this.behaviour;
    const hangs = this.hangsAll;
    const payload = JSON.parse(await this.#payload(pod)) as Payload;
    const [endpoint] = payload.resources.endpoints;
    if (endpoint === undefined) throw new Error('the payload has no endpoint');
    const { url, data } = endpoint;
    const token = endpoint.authorization.parameters.AccessToken;
    await this.#post(`${data.ResultsServiceUrl}started`, token, { workerId: uid });
    const conclude = () => this.#conclude(name, payload, { url, token, conclusion });
    if (hangs) {
      this.#hanging.set(uid, conclude);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, durationMs));
    await conclude();
  }

  async #conclude(
    name: string,
    payload: Payload,
    { url, token, conclusion }: { url: string; token: string; conclusion: WorkerBehaviour['conclusion'] },
  ): Promise<void> {
    const planId = payload.plan.planId;
    await this.#post(`${url}completejob`, token, {
      ...{ planId, jobId: payload.jobId, conclusion },
      ...{ outputs: {}, stepResults: [], annotations: [], telemetry: [] },
    });
    const exitCode = exitCodes[conclusion];
    const outcome = exitCode === 0 ? ({ type: 'succeed' } as const) : ({ type: 'fail', exitCode } as const);
    await this.pods.simulate({ namespace: this.namespace, name }, outcome);
  }

  /** Returns what is mounted at the folder of the payload, byte for byte. */
  async #payload(pod: Pod): Promise<string> {
    const mount = pod.spec?.containers
      .find(({ name }) => name === 'runner')
      ?.volumeMounts?.find(({ mountPath }) => mountPath === workerDefaults.payloadFolder);
    const volume = pod.spec?.volumes?.find(({ name }) => name === mount?.name);
    const parts: Buffer[] = [];
    for (const { secret } of volume?.projected?.sources ?? []) {
      const key: ObjectKey = { name: secret?.name ?? '', namespace: this.namespace };
      const { data = {} } = await this.client.get(Secret, key);
      for (const { key: item } of secret?.items ?? []) parts.push(Buffer.from(data[item] ?? '', 'base64'));
    }
    return Buffer.concat(parts).toString();
  }

  /** The runner repeats its calls; what the service refuses for good ends them. */
  async #post(url: string, token: string, body: object): Promise<void> {
    const { signal } = this.#stop;
    for (let attempt = 1; attempt <= 50; attempt++) {
      try {
        const answer = await request(url, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal,
        });
        await answer.body.dump();
        if (answer.statusCode < 500 && answer.statusCode !== 429) return;
      } catch {
        if (signal.aborted) return;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
