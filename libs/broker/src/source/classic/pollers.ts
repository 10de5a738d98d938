import { isTyped, messageOf } from '@interlock/api';
import { backoffMs, delay, type Clock, type Logger } from '@interlock/base';
import type { JobOffer } from '../../wire/message.js';
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
  /** How many more jobs may be offered. */
  room: () => number;
  /** A job was delivered. Resolves when the runner may poll again. */
  onJob: (agent: Agent, offer: JobOffer) => Promise<void>;
  onCancellation: (agent: Agent, jobId: string) => void;
  /** A runner stops waiting for jobs for good. Returns whether it holds one, so that it must stay. */
  onGone: (agent: Agent) => boolean;
}

/** The place of a runner that waits for jobs, or will when it is registered. */
interface Run {
  agent: Agent | undefined;
  idlePolls: number;
  /** Of {@link Pollers.replaceAll}: a runner of an earlier one does not wait again. */
  generation: number;
  /** There is no place for it any more. */
  isLeaving: boolean;
}

/**
 * The sessions that wait for jobs: one at least, more while jobs come, never more than the limit or than there is room for. A
 * runner that was offered a job gives its place to another one.
 */
export class Pollers {
  readonly #options: PollersOptions;
  readonly #waiting = new Set<Run>();
  readonly #byAgent = new Map<Agent, Run>();
  #maxListeners: number;
  #target = 1;
  #isOpen = false;
  #underWay = 0;
  readonly #onAllEnded: (() => void)[] = [];
  #generation = 0;
  /** Runners in a row that could not be used. */
  #failures = 0;

  constructor(options: PollersOptions) {
    this.#options = options;
    this.#maxListeners = Math.max(1, options.maxListeners);
  }

  /** How many sessions wait for a job. */
  get sessions(): number {
    let count = 0;
    for (const { agent } of this.#waiting) if (agent?.session.sessionId !== undefined) count += 1;
    return count;
  }

  setMaxListeners(count: number): void {
    this.#maxListeners = Math.max(1, count);
    this.ensure();
  }

  /** Has every runner that waits leave after its poll, and another one take its place. One that is offered a job leaves after it. */
  replaceAll(): void {
    this.#generation += 1;
    for (const run of this.#waiting) run.isLeaving = true;
    this.#waiting.clear();
    this.ensure();
  }

  /** Begins to wait for jobs, when the runners of an earlier process are known: one registered before would be taken for theirs. */
  open(): void {
    this.#isOpen = true;
    this.ensure();
  }

  /** Starts the sessions that are missing. */
  ensure(): void {
    if (!this.#isOpen || this.#options.life.aborted) return;
    while (this.#waiting.size < this.#desired()) {
      const run: Run = { agent: undefined, idlePolls: 0, generation: this.#generation, isLeaving: false };
      this.#waiting.add(run);
      this.#track(this.#run(run));
    }
  }

  /** A runner was offered a job: another one takes its place, and one more while jobs come. */
  occupy(agent: Agent): void {
    const run = this.#byAgent.get(agent);
    if (run !== undefined) this.#waiting.delete(run);
    this.grow();
  }

  /** A job came: one more session waits for the next one. */
  grow(): void {
    this.#target = Math.min(this.#maxListeners, this.#target + 1);
    this.ensure();
  }

  /** A runner waits for jobs again, or leaves when others have taken its place. */
  resume(agent: Agent): void {
    const run = this.#byAgent.get(agent);
    if (run === undefined || this.#waiting.has(run)) return;
    run.idlePolls = 0;
    const isCurrent = run.generation === this.#generation;
    if (isCurrent && this.#waiting.size < this.#desired()) this.#waiting.add(run);
    else run.isLeaving = true;
  }

  isWaiting(agent: Agent): boolean {
    const run = this.#byAgent.get(agent);
    return run !== undefined && this.#waiting.has(run);
  }

  /** Polls for what concerns the job that a runner holds, until its session is refused or it is stopped. */
  watch(agent: Agent): void {
    agent.session.setStatus('Busy');
    const run: Run = { agent, idlePolls: 0, generation: this.#generation, isLeaving: false };
    this.#track(this.#serve(agent, run));
  }

  /** Polls have worked. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** Resolves when all polls have ended and their sessions are deleted. */
  async ended(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#onAllEnded.push(resolve));
  }

  #desired(): number {
    const room = Math.max(1, this.#options.room());
    return Math.min(this.#maxListeners, Math.max(1, this.#target), room);
  }

  #track(work: Promise<unknown>): void {
    this.#underWay += 1;
    void work.then(this.#onEnded, this.#onBroken);
  }

  /** Functions for all sessions, since each of them holds both. */
  readonly #onEnded = (): void => {
    this.#underWay -= 1;
    if (this.#underWay > 0) return;
    for (const resolve of this.#onAllEnded.splice(0)) resolve();
  };

  readonly #onBroken = (error: unknown): void => {
    this.#options.log.error({ err: error }, 'a session ended in an unexpected way');
    this.#onEnded();
  };

  /** Keeps one place occupied: by one runner after the other when they fail, until it leaves or has a job. */
  async #run(run: Run): Promise<void> {
    const { agents, life } = this.#options;
    while (this.#waiting.has(run) && !life.aborted) {
      try {
        run.agent = await agents.register(life);
      } catch (error) {
        await this.#pause(error);
        continue;
      }
      const failure = await this.#serve(run.agent, run);
      run.agent = undefined;
      if (failure !== undefined && this.#waiting.has(run)) await this.#pause(failure);
    }
    this.#waiting.delete(run);
  }

  /** Polls with one runner. Returns why it cannot be used any more; undefined when it left, or was stopped. */
  #serve(agent: Agent, run: Run): Promise<unknown> {
    this.#byAgent.set(agent, run);
    const work = this.#poll(agent, run);
    agent.ended = work.then(ignore, ignore);
    return work;
  }

  async #poll(agent: Agent, run: Run): Promise<unknown> {
    const { log, onJob, onCancellation } = this.#options;
    let failure: unknown;
    try {
      for await (const polled of agent.session.messages(agent.stop)) {
        if (polled.type === 'job') {
          run.idlePolls = 0;
          await onJob(agent, polled.offer);
        } else if (polled.type === 'cancellation') onCancellation(agent, polled.jobId);
        else if (this.#isOver(run)) break;
      }
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

  async #leave(agent: Agent, failure: unknown): Promise<unknown> {
    const { agents, life, onGone } = this.#options;
    if (failure !== undefined) agent.session.forget();
    /* The session of a runner that was stopped ends with the runner. */
    else if (life.aborted || !agent.stop.aborted) await agent.session.close();
    if (life.aborted || agent.stop.aborted) return undefined;
    if (!onGone(agent)) void agents.retireAgent(agent);
    return failure;
  }

  /** Decides after an empty poll whether an extra session leaves. */
  #isOver(run: Run): boolean {
    if (run.isLeaving) return true;
    if (!this.#waiting.has(run)) return false;
    run.idlePolls += 1;
    const isExtra = this.#waiting.size > 1 && run.idlePolls >= this.#options.timings.idlePolls;
    if (!isExtra && this.#waiting.size <= this.#desired()) return false;
    this.#waiting.delete(run);
    this.#target = Math.max(1, this.#target - 1);
    return true;
  }

  /** The first failure in a row is not reported where a new runner may work. */
  async #pause(error: unknown): Promise<void> {
    const { clock, random, timings, life, health } = this.#options;
    if (life.aborted) return;
    this.#failures += 1;
    const state = stateOf(error);
    const isOwn = state === 'unauthorized' || state === 'failing';
    if (!isOwn || this.#failures > 1) health.broken(error);
    const { baseMs, maxMs } = timings.restart;
    const asked = isTyped(error) ? (error.retryAfterMs ?? 0) : 0;
    const least =
      state === 'versionTooOld' ? timings.versionRetryMs : Math.max(asked, this.#failures > 1 ? baseMs : 0);
    await delay(clock, least + backoffMs(this.#failures, { baseMs, maxMs }, random), life);
  }
}

function ignore(): void {
  /* Only the end counts. */
}
