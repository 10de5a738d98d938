import { isTyped, messageOf } from '@interlock/api';
import { backoffMs, delay, type Clock, type Logger } from '@interlock/base';
import type { JobOffer } from '../../wire/message.js';
import type { Polled } from '../../session/broker-session.js';
import type { Agent } from './agent.js';
import type { Agents } from './agents.js';
import { stateOf, type HealthTracker } from './health.js';
import type { ClassicTimings } from './options.js';

interface PollersOptions {
  agents: Agents;
  health: HealthTracker;
  clock: Clock;
  random: () => number;
  log: Logger;
  timings: ClassicTimings;
  life: AbortSignal;
  maxListeners: number;
  /** Returns how many more jobs may be offered. */
  room: () => number;
  /** Called when a job was delivered. Resolves when the runner may poll again. */
  onJob: (agent: Agent, offer: JobOffer) => Promise<void>;
  onCancellation: (agent: Agent, cancellation: Extract<Polled, { type: 'cancellation' }>) => void;
  /** Called when a runner stops waiting for jobs. Returns whether it holds a job, so that it must be kept. */
  onGone: (agent: Agent) => boolean;
}

/** The place of a runner that waits for jobs, or will wait when it is registered. */
interface Run {
  agent: Agent | undefined;
  idlePolls: number;
  /** The number of consecutive unusable runners. */
  failures: number;
  /** The generation of {@link Pollers.replaceAll}: a runner of an earlier generation does not wait again. */
  generation: number;
  /** Whether its place has been removed. */
  isLeaving: boolean;
}

/**
 * The sessions that wait for jobs: at least one, more while jobs arrive, never more than the limit or the room. A runner that was
 * offered a job leaves its place to another runner.
 */
export class Pollers {
  readonly #options: PollersOptions;
  readonly #waiting = new Set<Run>();
  readonly #byAgent = new Map<Agent, Run>();
  /** The places whose failure was reported, until a runner in them polls. */
  readonly #broken = new Set<Run>();
  #maxListeners: number;
  #target = 1;
  #isOpen = false;
  #underWay = 0;
  readonly #onAllEnded: (() => void)[] = [];
  #generation = 0;

  constructor(options: PollersOptions) {
    this.#options = options;
    this.#maxListeners = Math.max(1, options.maxListeners);
  }

  /** The number of sessions that wait for a job. */
  get sessions(): number {
    let count = 0;
    for (const { agent } of this.#waiting) if (agent?.session.sessionId !== undefined) count += 1;
    return count;
  }

  setMaxListeners(count: number): void {
    this.#maxListeners = Math.max(1, count);
    this.ensure();
  }

  /** Replaces every idle runner after its current poll. A runner that is offered a job is replaced after that job. */
  replaceAll(): void {
    this.#generation += 1;
    for (const run of this.#waiting) {
      run.isLeaving = true;
      /* Its pause may last an hour. */
      this.#forgive(run);
    }
    this.#waiting.clear();
    this.ensure();
  }

  /**
   * Starts to wait for jobs. The runners of an earlier process must be known first: a runner that is registered before that would
   * be mistaken for one of them.
   */
  open(): void {
    this.#isOpen = true;
    this.ensure();
  }

  /** Starts the missing sessions. */
  ensure(): void {
    if (!this.#isOpen || this.#options.life.aborted) return;
    while (this.#waiting.size < this.#desired()) {
      const run = this.#newRun();
      this.#waiting.add(run);
      this.#track(this.#run(run));
    }
  }

  /** Removes a runner that was offered a job from the waiting runners, and adds a session, because a job has arrived. */
  occupy(agent: Agent): void {
    const run = this.#byAgent.get(agent);
    if (run !== undefined) this.#waiting.delete(run);
    this.grow();
  }

  /** Adds a session after a job has arrived. */
  grow(): void {
    this.#target = Math.min(this.#maxListeners, this.#target + 1);
    this.ensure();
  }

  /** Lets a runner wait for jobs again, or ends it when other runners have taken its place and one of them waits. */
  resume(agent: Agent): void {
    const run = this.#byAgent.get(agent);
    if (run === undefined || this.#waiting.has(run)) return;
    run.idlePolls = 0;
    const isCurrent = run.generation === this.#generation;
    const isNeeded = this.#waiting.size < this.#desired() || this.sessions === 0;
    if (isCurrent && isNeeded) this.#waiting.add(run);
    else run.isLeaving = true;
  }

  isWaiting(agent: Agent): boolean {
    const run = this.#byAgent.get(agent);
    return run !== undefined && this.#waiting.has(run);
  }

  /** Polls for messages about the job of a runner, until its session is refused or it is stopped. */
  watch(agent: Agent): void {
    agent.session.setStatus('Busy');
    this.#track(this.#serve(agent, this.#newRun()));
  }

  /** Resolves when all polls have ended and their sessions are deleted. */
  async ended(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#onAllEnded.push(resolve));
  }

  #newRun(): Run {
    const generation = this.#generation;
    return { agent: undefined, idlePolls: 0, failures: 0, generation, isLeaving: false };
  }

  #desired(): number {
    const room = Math.max(1, this.#options.room());
    return Math.min(this.#maxListeners, Math.max(1, this.#target), room);
  }

  #track(work: Promise<unknown>): void {
    this.#underWay += 1;
    void work.then(this.#onEnded, this.#onBroken);
  }

  /** Shared by all sessions to save memory, because each of them holds these functions. */
  readonly #onEnded = (): void => {
    this.#underWay -= 1;
    if (this.#underWay > 0) return;
    for (const resolve of this.#onAllEnded.splice(0)) resolve();
  };

  readonly #onBroken = (error: unknown): void => {
    this.#options.log.error({ err: error }, 'a session ended unexpectedly');
    this.#onEnded();
  };

  /** Keeps one place occupied, by one runner after another if they fail, until a runner leaves or has a job. */
  async #run(run: Run): Promise<void> {
    const { agents, life } = this.#options;
    while (this.#waiting.has(run) && !life.aborted) {
      try {
        run.agent = await agents.register(life);
      } catch (error) {
        await this.#pause(run, error);
        continue;
      }
      const failure = await this.#serve(run.agent, run);
      run.agent = undefined;
      if (failure !== undefined) await this.#pause(run, failure);
    }
    this.#waiting.delete(run);
    this.#forgive(run);
  }

  /** Polls with one runner, and returns why it is unusable; undefined when it left or was stopped. */
  #serve(agent: Agent, run: Run): Promise<unknown> {
    this.#byAgent.set(agent, run);
    const work = this.#poll(agent, run);
    agent.ended = work.then(ignore, ignore);
    return work;
  }

  async #poll(agent: Agent, run: Run): Promise<unknown> {
    const { log } = this.#options;
    let failure: unknown;
    try {
      await agent.session.receive(agent.stop, (polled) => this.#handle(agent, run, polled));
    } catch (error) {
      failure = error;
      log.debug({ runner: agent.record.name, reason: messageOf(error) }, 'the session of a runner ended');
    }
    try {
      return await this.#leave(agent, failure);
    } finally {
      this.#byAgent.delete(agent);
    }
  }

  /** Returns whether the runner polls again. */
  #handle(agent: Agent, run: Run, polled: Polled): boolean | Promise<boolean> {
    const { onJob, onCancellation, health } = this.#options;
    run.failures = 0;
    if (this.#forgive(run)) health.succeeded();
    if (polled.type === 'job') {
      run.idlePolls = 0;
      return onJob(agent, polled.offer).then(() => true);
    }
    if (polled.type === 'idle') return !this.#isOver(run);
    onCancellation(agent, polled);
    return true;
  }

  async #leave(agent: Agent, failure: unknown): Promise<unknown> {
    const { agents, life, onGone } = this.#options;
    if (failure !== undefined) agent.session.forget();
    /* The session of a runner that was stopped ends with the runner. */
    else if (life.aborted || !agent.stop.aborted) await agent.session.close();
    if (life.aborted || agent.stop.aborted) return undefined;
    if (!onGone(agent)) void agents.retireAgent(agent);
    return failure;
  }

  /** Returns whether an extra session ends after an empty poll. */
  #isOver(run: Run): boolean {
    if (run.isLeaving) return true;
    if (!this.#waiting.has(run)) return false;
    run.idlePolls += 1;
    /* The others may wait for runners that cannot be registered. */
    if (this.sessions <= 1) return false;
    const isExtra = this.#waiting.size > 1 && run.idlePolls >= this.#options.timings.idlePolls;
    if (!isExtra && this.#waiting.size <= this.#desired()) return false;
    this.#waiting.delete(run);
    this.#target = Math.max(1, this.#target - 1);
    return true;
  }

  /** Pauses after the failure of a place that is still needed. The first of consecutive failures is not reported if a new runner may work. */
  async #pause(run: Run, error: unknown): Promise<void> {
    const { clock, random, timings, life, health } = this.#options;
    if (life.aborted || !this.#waiting.has(run)) return;
    run.failures += 1;
    const state = stateOf(error);
    const isOwn = state === 'unauthorized' || state === 'failing';
    if (!isOwn || run.failures > 1) {
      this.#broken.add(run);
      health.broken(error);
    }
    const { baseMs, maxMs } = timings.restart;
    const asked = isTyped(error) ? (error.retryAfterMs ?? 0) : 0;
    const least =
      state === 'versionTooOld' ? timings.versionRetryMs : Math.max(asked, run.failures > 1 ? baseMs : 0);
    await delay(clock, least + backoffMs(run.failures, { baseMs, maxMs }, random), life);
  }

  /** Forgets the failure of a place, and returns whether it was the last one that was reported. */
  #forgive(run: Run): boolean {
    if (!this.#broken.delete(run) || this.#broken.size > 0) return false;
    this.#options.health.repaired();
    return true;
  }
}

function ignore(): void {
  /* Only the end counts. */
}
