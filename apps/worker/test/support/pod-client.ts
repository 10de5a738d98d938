import { setTimeout } from 'node:timers/promises';
import type { DevCluster } from '@interlock/devcluster';
import type { WorkerPodView } from '@interlock/api';
import { Agent, request } from 'undici';

/** A pod as the tests read it. */
export type WorkerPod = WorkerPodView & {
  status?: {
    phase?: string;
    containerStatuses?: {
      name: string;
      state?: { terminated?: { exitCode?: number; reason?: string; message?: string } };
    }[];
  };
};

const waitMs = 20_000;
const pollMs = 25;

/** Calls the embedded cluster about the objects of worker pods, in the namespace `default`. */
export class PodClient {
  readonly #cluster: DevCluster;
  readonly #dispatcher: Agent;

  constructor(cluster: DevCluster) {
    this.#cluster = cluster;
    this.#dispatcher = new Agent({ connect: { ca: cluster.caCert } });
  }

  /** Creates an object of the core group. Throws when it is refused. */
  async create(collection: string, object: object): Promise<void> {
    await this.#call('POST', collection, { apiVersion: 'v1', ...object });
  }

  /** Deletes a pod with its grace period. */
  async remove(name: string): Promise<void> {
    await this.#call('DELETE', `pods/${name}`);
  }

  /** Returns the output of a pod. */
  log(name: string): Promise<string> {
    return this.#call('GET', `pods/${name}/log`);
  }

  /** Reads a pod until it meets a condition. Throws after twenty seconds. */
  async until(name: string, test: (pod: WorkerPod) => boolean): Promise<WorkerPod> {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const text = await this.#call('GET', `pods/${name}`);
      const pod = JSON.parse(text) as WorkerPod;
      if (test(pod)) return pod;
      if (Date.now() > deadline) throw new Error(`the pod stayed at ${text}`);
      await setTimeout(pollMs);
    }
  }

  async #call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<string> {
    const { url, adminToken } = this.#cluster;
    const { statusCode, body: answer } = await request(`${url}/api/v1/namespaces/default/${path}`, {
      method,
      dispatcher: this.#dispatcher,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
    return text;
  }
}
