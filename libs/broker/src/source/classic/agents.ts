import { isTyped, messageOf, TypedError } from '@interlock/api';
import { backoffMs, delay, KeyedLock, onAbort, Stop, timeLimit, type Logger } from '@interlock/base';
import { randomBytes } from 'node:crypto';
import type { Broker } from '../../broker.js';
import { BrokerCalls } from '../../session/broker-calls.js';
import { BrokerSession } from '../../session/broker-session.js';
import { RunnerToken } from '../../token/runner-token.js';
import { compactConfig, expandConfig } from '../../wire/compact-config.js';
import { parseJitConfig } from '../../wire/jit-config.js';
import { mayBeRegistered, type Removal } from '../../registration/runners.js';
import type { AgentRecord, AgentStore } from '../agent-store.js';
import type { Agent } from './agent.js';
import type { ClassicSourceOptions, ClassicTimings } from './options.js';

interface AgentsOptions extends ClassicSourceOptions {
  timings: ClassicTimings;
  /** Aborts when the source is closed. */
  life: AbortSignal;
  onAnswer: () => void;
  onFailure: (error: unknown) => void;
  /** Called when another process has taken over the records. */
  onLost: (error: unknown) => void;
}

const maxPrefixLength = 40;
const removalTimeoutMs = 10_000;

/** Registers the runners of one source, keeps their records, and removes them at GitHub, in an order that is safe against crashes. */
export class Agents {
  readonly #options: AgentsOptions;
  readonly #broker: Broker;
  readonly #log: Logger;
  #labels: readonly string[];
  readonly #store: AgentStore;
  readonly #calls: BrokerCalls;
  readonly #order = new KeyedLock();
  readonly #retiring = new Set<string>();
  /** The signals that end the polls of each runner that is not being removed. */
  readonly #stops = new Map<string, Stop>();

  constructor(options: AgentsOptions) {
    const { broker, store, runner, timings } = options;
    this.#options = options;
    this.#broker = broker;
    this.#log = options.log ?? broker.log;
    this.#labels = options.labels;
    this.#store = store;
    this.#calls = new BrokerCalls({
      caller: broker.caller,
      hosts: broker.hosts,
      dialect: broker.dialect,
      runner,
      ownerName: options.ownerName ?? options.namePrefix,
      pollTimeoutMs: timings.pollTimeoutMs,
    });
    /* One listener for all runners: a listener of each runner would outlive the runner. */
    onAbort(options.life, () => {
      for (const stop of this.#stops.values()) stop.abort();
    });
  }

  list(signal: AbortSignal): Promise<AgentRecord[]> {
    return this.#store.list(signal);
  }

  /** Sets the labels of runners that are registered from now on, and returns whether they have changed. */
  setLabels(labels: readonly string[]): boolean {
    const isSame =
      labels.length === this.#labels.length && labels.every((label) => this.#labels.includes(label));
    this.#labels = labels;
    return !isSame;
  }

  /** Registers a runner. If this fails after the call may have been sent, the runner is removed again. @throws TypedError */
  async register(signal: AbortSignal): Promise<Agent> {
    const { namePrefix, runnerGroupId = 1 } = this.#options;
    const labels = this.#labels;
    const name = `${namePrefix.slice(0, maxPrefixLength)}-${randomBytes(6).toString('hex')}`;
    const record: AgentRecord = { name, phase: 'registering', githubUrl: this.#broker.runners.githubUrl };
    await this.#save(record);
    let mayExist = true;
    try {
      const registered = await this.#broker.runners
        .register({ name, labels, runnerGroupId }, signal)
        .catch((error: unknown) => {
          mayExist = mayBeRegistered(error);
          throw error;
        });
      const idle: AgentRecord = { ...record, phase: 'idle', ...registered };
      const agent = this.adopt(idle, true);
      await this.#save(idle);
      return agent;
    } catch (error) {
      if (!signal.aborted) void (mayExist ? this.retire(record) : this.#forget(record));
      throw error;
    }
  }

  /** Removes the record of a runner that does not exist. */
  async #forget(record: AgentRecord): Promise<void> {
    const { name } = record;
    try {
      await this.#order.run(name, () => this.#store.remove(name, this.#options.life));
    } catch {
      await this.retire(record);
    }
  }

  /**
   * Returns the runner of a record.
   *
   * @throws TypedError `Invalid` when the record has no usable JIT config, `Permanent` when its hosts may not receive tokens
   */
  adopt(record: AgentRecord, isFresh = false): Agent {
    const { jitConfig, runnerId, name } = record;
    if (jitConfig === undefined || runnerId === undefined) {
      throw new TypedError('Invalid', `the record of runner ${name} has no JIT config`);
    }
    const { brokerUrl } = parseJitConfig(jitConfig);
    const config = compactConfig(jitConfig);
    const { caller, hosts, clock, random, metrics } = this.#broker;
    hosts.checkService(brokerUrl);
    const token = new RunnerToken({ name, config, isFresh, caller, hosts, clock, random });
    const { onAnswer, onFailure } = this.#options;
    const stop = new Stop();
    /* Spread syntax would give each of these objects a hidden class of its own, which takes more memory than the object. */
    const session = new BrokerSession({
      runnerName: name,
      runnerId,
      config,
      brokerUrl,
      token,
      hosts,
      clock,
      random,
      log: this.#log,
      metrics,
      calls: this.#calls,
      previousId: record.sessionId,
      onAnswer,
      onFailure,
      onCreated: (sessionId) => this.update(agent, { sessionId }),
    });
    const agent: Agent = {
      record: changed(record, { jitConfig: undefined }),
      config,
      token,
      session,
      stop,
      ended: undefined,
    };
    this.#stops.set(name, stop);
    return agent;
  }

  /** Changes the record of a runner. Resolves when the change is durable. */
  async update(agent: Agent, change: Partial<AgentRecord>): Promise<void> {
    agent.record = changed(agent.record, change);
    await this.#save(fullRecord(agent));
  }

  /** Retires a runner of this process; see {@link retire}. */
  retireAgent(agent: Agent): Promise<Removal> {
    return this.retire(fullRecord(agent));
  }

  /**
   * Removes a runner at GitHub, then its record. Attempts continue in the background until the runner is removed.
   *
   * @returns the outcome of the first attempt; `busy` even if it failed
   */
  async retire(record: AgentRecord): Promise<Removal> {
    const { name } = record;
    if (this.#retiring.has(name)) return 'busy';
    this.#retiring.add(name);
    this.#stops.delete(name);
    let outcome: Removal = 'busy';
    try {
      /* The previous record also suffices to remove the runner after a restart. */
      await this.#save({ ...record, phase: 'retiring' }).catch(() => undefined);
      outcome = await this.removeNow(record, this.#options.life);
    } finally {
      if (outcome === 'removed') this.#retiring.delete(name);
      else void this.#removeUntilGone({ ...record, jitConfig: undefined });
    }
    return outcome;
  }

  /** Tries once to remove a runner and its record. A failure is logged, and counts as `busy`. */
  async removeNow(
    record: AgentRecord,
    signal: AbortSignal,
    onFailure?: (error: unknown) => void,
  ): Promise<Removal> {
    const limit = timeLimit(removalTimeoutMs, signal);
    try {
      const outcome = await this.#broker.runners.remove(record, limit);
      if (outcome === 'busy') return outcome;
      if (outcome === 'inaccessible') {
        this.#log.warn(
          { runner: record.name, url: record.githubUrl },
          'a runner is left to be removed by GitHub',
        );
      }
      await this.#order.run(record.name, () => this.#store.remove(record.name, limit));
      return 'removed';
    } catch (error) {
      this.#log.debug({ runner: record.name, reason: messageOf(error) }, 'a runner was not removed');
      onFailure?.(error);
      return 'busy';
    }
  }

  async #removeUntilGone(record: AgentRecord): Promise<void> {
    const { life, timings } = this.#options;
    const { clock, random } = this.#broker;
    const { baseMs, maxMs } = timings.removal;
    for (let attempt = 1; ; attempt++) {
      await delay(clock, baseMs + backoffMs(attempt, { baseMs, maxMs }, random), life);
      if (life.aborted) return;
      if ((await this.removeNow(record, life)) === 'removed') break;
    }
    this.#retiring.delete(record.name);
  }

  /** Saves a record. The records of one runner are saved in their order. */
  async #save(record: AgentRecord): Promise<void> {
    try {
      await this.#order.run(record.name, () => this.#store.save(record, this.#options.life));
    } catch (error) {
      if (isTyped(error, 'Conflict')) this.#options.onLost(error);
      throw error;
    }
  }
}

function fullRecord({ record, config }: Agent): AgentRecord {
  return changed(record, { jitConfig: expandConfig(config) });
}

function changed(record: AgentRecord, change: Partial<AgentRecord>): AgentRecord {
  const { name, phase, githubUrl, runnerId, jitConfig, sessionId, delivery } = { ...record, ...change };
  return { name, phase, githubUrl, runnerId, jitConfig, sessionId, delivery };
}
