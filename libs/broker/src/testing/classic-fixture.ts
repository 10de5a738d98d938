import { generateKeyPairSync } from 'node:crypto';
import {
  startActionsService,
  RunnerKeys,
  type ActionsService,
  type ActionsServiceOptions,
  type ServiceFaultEffect,
} from '@interlock/actions-service';
import type { OrProblem } from '@interlock/base';
import { MovableClock, recordLog, type LogLine } from '@interlock/base/testing';
import { request } from 'undici';
import { createBroker, type Broker, type BrokerOptions } from '../broker.js';
import type { AppCredential } from '../registration/app-credential.js';
import { createClassicSource } from '../source/classic/classic-source.js';
import type { JobSource } from '../source/job-source.js';
import type { ClassicSourceOptions } from '../source/classic/options.js';
import { eventually } from './eventually.js';
import { MemoryAgentStore } from './memory-agent-store.js';
import { SourceRecorder } from './source-recorder.js';

const keys = new RunnerKeys();
const modulusLength = 2048;
const format = { type: 'pkcs1', format: 'pem' } as const;
/* Generating a key takes as long as running a test. */
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength,
  privateKeyEncoding: format,
  publicKeyEncoding: format,
});
const app = { id: 1, clientId: 'client-1', privateKey };

/** A job that the runners of the fixture run. */
export const job = { repository: 'acme/web', labels: ['self-hosted'] };

export interface FixtureOptions extends Partial<Pick<ClassicSourceOptions, 'maxListeners' | 'timings'>> {
  service?: ActionsServiceOptions | undefined;
  broker?: Partial<BrokerOptions> | undefined;
  capacity?: number | undefined;
  runnerVersion?: string | undefined;
}

/**
 * A classic source against the local double of the Actions service. Its clock follows the clock of the machine, and
 * can be advanced.
 */
export class ClassicFixture {
  readonly clock: MovableClock;
  readonly service: ActionsService;
  readonly store = new MemoryAgentStore();
  readonly lines: LogLine[] = [];
  readonly #options: FixtureOptions;
  readonly #closing: (() => Promise<unknown>)[] = [];
  credential: OrProblem<AppCredential>;
  broker: Broker;

  private constructor(service: ActionsService, clock: MovableClock, options: FixtureOptions) {
    this.service = service;
    this.clock = clock;
    this.#options = options;
    this.credential = {
      appId: String(service.app.id),
      privateKey: service.app.privateKey,
      installationId: String(service.installationId),
    };
    this.broker = this.#createBroker();
  }

  static async start(options: FixtureOptions = {}): Promise<ClassicFixture> {
    const clock = new MovableClock();
    const service = await startActionsService({ clock, app, runnerKeys: keys, ...options.service });
    return new ClassicFixture(service, clock, options);
  }

  /** Returns a source that is not open. */
  create(): JobSource {
    const { maxListeners = 2, timings, runnerVersion = '2.335.1' } = this.#options;
    const source = createClassicSource({
      ...{ broker: this.broker, store: this.store, namePrefix: 'group-a', labels: ['self-hosted', 'linux'] },
      ...{ maxListeners, timings, runner: { version: runnerVersion, os: 'Linux', architecture: 'X64' } },
    });
    this.#closing.push(() => source.close('handOver', AbortSignal.timeout(5_000)));
    return source;
  }

  /** Opens a source, as a process does when it starts. */
  async open(held: Parameters<JobSource['open']>[0] = []): Promise<SourceRecorder> {
    const source = this.create();
    source.setCapacity(this.#options.capacity ?? 10);
    const recorder = new SourceRecorder(source);
    await source.open(held, AbortSignal.timeout(5_000));
    return recorder;
  }

  /** Makes the next call of a route fail, or the given number of calls. */
  fail(route: string, effect: ServiceFaultEffect, times = 1): void {
    this.service.faults.add({ match: { route }, effect, times });
  }

  /** Advances the time until the condition holds, so that a test does not wait for a backoff. */
  async forwardUntil<T>(read: () => T | undefined | false, what: string, stepMs = 1_000): Promise<T> {
    const timer = setInterval(() => this.clock.forward(stepMs), 10);
    try {
      return await eventually(read, what);
    } finally {
      clearInterval(timer);
    }
  }

  /** Reports, as a worker does, that the job of this token runs. */
  async startWorker(token: string): Promise<void> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ workerId: 'worker-1' });
    const answer = await request(`${this.service.urls.results}/started`, { method: 'POST', headers, body });
    await answer.body.dump();
  }

  /** Ends the process at once, as a crash does, and starts another one, whose options may differ. */
  async crash(changes: Partial<BrokerOptions> = {}): Promise<void> {
    await this.broker.close();
    this.broker = this.#createBroker(changes);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#closing.map((close) => close()));
    await this.broker.close();
    await this.service.close();
  }

  #createBroker(changes: Partial<BrokerOptions> = {}): Broker {
    const { service, clock } = this;
    return createBroker({
      githubUrl: `${service.urls.web}/acme`,
      apiUrl: service.urls.rest,
      credential: () => Promise.resolve(this.credential),
      ...{ allowHttp: true, ca: service.ca, clock, random: Math.random, log: recordLog(this.lines) },
      dialect: this.#options.service?.dialect ?? 'live',
      ...this.#options.broker,
      ...changes,
    });
  }
}
