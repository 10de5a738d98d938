import { isTyped, messageOf } from '@interlock/api';
import { waitFor, type Logger } from '@interlock/base';
import { RunService } from '../../run-service/run-service.js';
import type { AgentRecord } from '../agent-store.js';
import type {
  Claim,
  JobIdentity,
  JobKey,
  JobLock,
  JobSource,
  LockReference,
  Refused,
  Released,
  SourceEvent,
} from '../job-source.js';
import type { Agent } from './agent.js';
import { Agents } from './agents.js';
import { Claims } from './claims.js';
import { EventQueue } from './event-queue.js';
import { HealthTracker } from './health.js';
import { Offers } from './offers.js';
import { defaultTimings, type ClassicSourceOptions } from './options.js';
import { Pollers } from './pollers.js';
import { Slots, type Slot } from './slots.js';

type HeldJob = Parameters<JobSource['open']>[0][number];

/** Creates the source of the jobs of one RunnerGroup at the classic broker. Makes no call until it is opened. */
export function createClassicSource(options: ClassicSourceOptions): JobSource {
  return new BrokerSource(options);
}

class BrokerSource implements JobSource {
  readonly #log: Logger;
  readonly #life = new AbortController();
  readonly #events = new EventQueue();
  readonly #slots: Slots;
  readonly #agents: Agents;
  readonly #pollers: Pollers;
  readonly #offers: Offers;
  readonly #claims: Claims;
  readonly #runService: RunService;
  #lastPollAt: number | undefined;
  #isOpen = false;

  constructor(options: ClassicSourceOptions) {
    const { broker, maxListeners, runner } = options;
    const { clock, random } = broker;
    const { log = broker.log } = options;
    const timings = { ...defaultTimings, ...options.timings };
    const life = this.#life.signal;
    const slots = new Slots(clock);
    this.#slots = slots;
    const emit = (event: SourceEvent): void => this.#events.push(event);
    const health = new HealthTracker(clock, (state) => emit({ type: 'health', health: state }));
    this.#log = log;
    this.#runService = new RunService(broker.caller, broker.hosts, runner.os);
    const agents = new Agents({
      ...options,
      ...{ timings, life },
      onAnswer: () => {
        this.#lastPollAt = clock.monotonic();
        health.succeeded();
      },
      onFailure: (error) => health.failed(error),
      onLost: (error) => this.#lose(health, error),
    });
    this.#agents = agents;
    this.#pollers = new Pollers({
      ...{ agents, health, clock, random, log, timings, life, maxListeners },
      room: () => slots.room,
      onJob: (agent, offer) => this.#offers.receive(agent, offer),
      onCancellation: (agent, { jobId, timeoutMs }) => this.#offers.cancel(agent, jobId, timeoutMs),
      onGone: (agent) => this.#offers.forgetRunner(agent),
    });
    const pollers = this.#pollers;
    this.#offers = new Offers({ broker, slots, agents, pollers, emit, timings, life });
    this.#claims = new Claims({
      ...{ broker, slots, agents, pollers, emit, timings, life },
      offers: this.#offers,
      runService: this.#runService,
    });
  }

  get sessions(): number {
    return this.#pollers.sessions;
  }

  get lastPollAt(): number | undefined {
    return this.#lastPollAt;
  }

  async open(held: readonly HeldJob[], signal: AbortSignal): Promise<void> {
    const records = await waitFor(this.#agents.list(signal), signal);
    const jobsOf = new Map(held.map((job) => [job.runnerName, job]));
    const adopted = new Set<JobKey>();
    for (const record of records) {
      const job = jobsOf.get(record.name);
      if (job !== undefined && record.phase !== 'claiming') {
        this.#adoptHeld(record, job);
        adopted.add(job.key);
      } else if (record.phase === 'claiming') this.#adoptClaiming(record, held, adopted);
      else void this.#agents.retire(record);
    }
    for (const job of held) if (!adopted.has(job.key)) this.#offers.adopt(job, undefined);
    this.#isOpen = true;
    this.#pollers.open();
  }

  events(): AsyncIterable<SourceEvent> {
    return this.#events.read();
  }

  setCapacity(total: number): void {
    this.#slots.setCapacity(total);
    if (this.#isOpen) this.#offers.fill();
  }

  setMaxListeners(count: number): void {
    this.#pollers.setMaxListeners(count);
  }

  setLabels(labels: readonly string[]): void {
    if (this.#agents.setLabels(labels)) this.#pollers.replaceAll();
  }

  claim(key: JobKey, signal: AbortSignal): Promise<Claim | Refused> {
    return this.#claims.claim(key, signal);
  }

  settled(key: JobKey, signal: AbortSignal): Promise<void> {
    return this.#claims.settled(key, signal);
  }

  release(key: JobKey, signal: AbortSignal): Promise<Released> {
    return this.#claims.release(key, signal);
  }

  lock(reference: LockReference): JobLock {
    return this.#runService.lock(reference);
  }

  async close(
    mode: 'handOver' | 'retire',
    signal: AbortSignal,
  ): Promise<{ pinned: number; problem?: string | undefined }> {
    this.#stop();
    await waitFor(this.#pollers.ended(), signal);
    if (mode === 'handOver') return { pinned: 0 };
    const records = await this.#agents.list(signal);
    let problem: string | undefined;
    const onFailure = (error: unknown): void => void (problem ??= messageOf(error));
    const outcomes = await Promise.all(
      records.map((record) => this.#agents.removeNow(record, signal, onFailure)),
    );
    return { pinned: outcomes.filter((outcome) => outcome === 'busy').length, problem };
  }

  #stop(): void {
    this.#life.abort();
    this.#events.end();
    for (const slot of this.#slots.all()) {
      slot.timer?.cancel();
      slot.settle('unusable');
    }
  }

  /** Stops this source, because another process has taken it over. */
  #lose(health: HealthTracker, error: unknown): void {
    if (this.#life.signal.aborted) return;
    this.#log.warn({ reason: messageOf(error) }, 'another process has taken over the runners of this source');
    health.broken(error);
    this.#stop();
  }

  /** Adopts a job of an earlier process, and polls the session of its runner for its cancellation. */
  #adoptHeld(record: AgentRecord, job: HeldJob): void {
    const agent = this.#revive(record);
    const slot: Slot = this.#offers.adopt(job, agent);
    if (slot.agent !== undefined) this.#pollers.watch(slot.agent);
  }

  /** Adopts an offer that an earlier process may have claimed. */
  #adoptClaiming(
    record: AgentRecord,
    held: readonly { key: JobKey; identity: JobIdentity; runnerName: string }[],
    adopted: Set<JobKey>,
  ): void {
    const key = record.delivery?.requestId;
    const job = held.find((one) => one.key === key);
    if (job !== undefined) {
      /* The claim is recorded, although this record was not updated. */
      this.#adoptHeld(record, job);
      adopted.add(job.key);
      return;
    }
    const agent = this.#revive(record);
    if (agent === undefined || record.delivery === undefined) void this.#agents.retire(record);
    else this.#offers.repeat(agent, record.delivery);
  }

  #revive(record: AgentRecord): Agent | undefined {
    try {
      return this.#agents.adopt(record);
    } catch (error) {
      if (!isTyped(error)) throw error;
      this.#log.warn({ runner: record.name, reason: error.message }, 'the record of a runner is unusable');
      return undefined;
    }
  }
}
