import { generateKeyPairSync } from 'node:crypto';
import {
  createBroker,
  createClassicSource,
  type AgentRecord,
  type AgentStore,
  type Broker,
  type JobSource,
} from '@interlock/broker';
import type { ClientMethods } from './client-methods.js';
import { Handled } from './handled.js';
import { jitConfigOf } from './jit-config.js';
import { ownMemory } from './own-memory.js';
import { urlOf, type Endpoint } from './protocols.js';

const openTimeoutMs = 60_000;

/**
 * Sessions of libs/broker as an AGC has them: one broker, and sources whose runners hold a job each, as after a restart. This way
 * any number of sessions can start at once. A session that waits for a job needs slightly less memory.
 */
export class BrokerSessions implements ClientMethods {
  readonly #handled = new Handled();
  readonly #sources: JobSource[] = [];
  readonly #jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  #broker: Broker | undefined;

  async open({ endpoint, from, to }: { endpoint: Endpoint; from: number; to: number }): Promise<number> {
    this.#broker ??= this.#createBroker(endpoint);
    const runners = Array.from({ length: to - from }, (_one, index) => from + index);
    const source = createClassicSource({
      broker: this.#broker,
      store: new StoreOfRunners(runners.map((runner) => this.#recordOf(runner, endpoint))),
      namePrefix: `group-${from}`,
      labels: ['self-hosted'],
      runner: { version: '2.335.1', os: 'Linux', architecture: 'X64' },
      maxListeners: 1,
    });
    this.#sources.push(source);
    void this.#follow(source);
    const held = runners.map((runner) => ({
      key: `job-${runner}`,
      identity: { planId: `plan-${runner}`, jobId: `job-${runner}` },
      runnerName: `runner-${runner}`,
    }));
    await source.open(held, AbortSignal.timeout(openTimeoutMs));
    /* In addition to the sessions of its jobs, a source has one that waits for the next job. */
    return runners.length + 1;
  }

  memory(): ReturnType<ClientMethods['memory']> {
    return ownMemory();
  }

  handled({ count, timeoutMs }: { count: number; timeoutMs: number }): ReturnType<ClientMethods['handled']> {
    return this.#handled.wait(count, timeoutMs);
  }

  async #follow(source: JobSource): Promise<void> {
    for await (const event of source.events()) {
      if (event.type === 'cancelled') this.#handled.take(Number(event.key.slice('job-'.length)));
    }
  }

  #createBroker(endpoint: Endpoint): Broker {
    const privateKey = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }).privateKey;
    return createBroker({
      githubUrl: `${urlOf(endpoint)}/acme`,
      apiUrl: urlOf(endpoint),
      credential: () => Promise.resolve({ appId: '1', installationId: '1', privateKey }),
      allowHttp: true,
      ca: endpoint.ca === '' ? undefined : endpoint.ca,
      hourlyBudget: 1e9,
    });
  }

  #recordOf(runner: number, endpoint: Endpoint): AgentRecord {
    const name = `runner-${runner}`;
    const jitConfig = jitConfigOf(this.#jwk, { runner, name, url: urlOf(endpoint) });
    return { name, phase: 'bound', runnerId: String(runner + 1), jitConfig };
  }
}

/** The records of the runners at the start. They are not stored, because in a cluster they are Secrets. */
class StoreOfRunners implements AgentStore {
  #records: AgentRecord[];

  constructor(records: AgentRecord[]) {
    this.#records = records;
  }

  list(): Promise<AgentRecord[]> {
    return Promise.resolve(this.#records.splice(0));
  }

  save(): Promise<void> {
    return Promise.resolve();
  }

  remove(): Promise<void> {
    return Promise.resolve();
  }
}
