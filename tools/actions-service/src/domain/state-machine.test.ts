import { expect, test } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import fc from 'fast-check';
import { settingsOf, type ActionsServiceOptions } from '../options.js';
import { SeededRandom } from '../random.js';
import { Refused } from '../record/refused.js';
import { ServiceEvents } from '../record/service-events.js';
import { Violations } from '../record/violations.js';
import { ServiceState } from './context.js';
import { Credentials } from './credentials.js';
import { createDomain, type Domain } from './domain.js';
import { reportedConclusions } from './job-locks.js';
import type { Delivery, Run, Runner } from './model.js';
import { RunnerKeys } from './runner-keys.js';
import { Tally } from './tally.js';

const key = (await new RunnerKeys(1).take()).publicKey;

function domainOf(clock: FakeClock, options: ActionsServiceOptions): Domain {
  const url = 'http://127.0.0.1';
  const urls = {
    web: url,
    rest: url,
    token: url,
    tenant: url,
    broker: url,
    run: url,
    results: url,
    control: url,
  };
  return createDomain({
    clock,
    settings: settingsOf(options),
    urls: () => urls,
    random: new SeededRandom(options.seed ?? 1),
    events: new ServiceEvents(clock, 1_000),
    violations: new Violations(clock),
    credentials: new Credentials(clock),
    keys: new RunnerKeys(1),
    tally: new Tally(),
    state: new ServiceState(),
  });
}

/** The possible events; numbers select among the existing objects. */
const step = fc.oneof(
  fc.record({ do: fc.constant('enqueue' as const), label: fc.constantFrom('a', 'b'), siblings: fc.nat(2) }),
  fc.record({
    do: fc.constant('runner' as const),
    label: fc.constantFrom('a', 'b'),
    ephemeral: fc.boolean(),
  }),
  fc.record({
    do: fc.constantFrom('session', 'poll', 'busy', 'end-session', 'delete-runner'),
    pick: fc.nat(),
  }),
  fc.record({
    do: fc.constantFrom('take', 'take', 'acquire', 'renew', 'start', 'start', 'ack'),
    pick: fc.nat(),
  }),
  fc.record({
    do: fc.constant('complete' as const),
    pick: fc.nat(),
    conclusion: fc.constantFrom(...reportedConclusions),
  }),
  fc.record({ do: fc.constantFrom('cancel', 'force-cancel', 'rerun'), pick: fc.nat() }),
  fc.record({
    do: fc.constant('advance' as const),
    ms: fc.constantFrom(100, 1_000, 50_000, 120_000, 600_000),
  }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Model {
  readonly #locks = new Map<Delivery, number>();
  #names = 0;

  constructor(
    readonly domain: Domain,
    readonly clock: FakeClock,
  ) {}

  async run(action: Step): Promise<void> {
    try {
      await this.#act(action);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    this.check();
  }

  check(): void {
    const { state, violations } = this.domain.context;
    expect(violations.list.filter(({ rule }) => rule === 'invariant')).toEqual([]);
    for (const session of state.sessions.values()) expect(session.runner.session).toBe(session);
    for (const runner of state.runners.values()) {
      expect(runner.held.size).toBeLessThanOrEqual(1);
      if (runner.held.size > 0 || runner.used) expect(runner.session?.offer).toBeUndefined();
    }
    for (const job of state.jobs.values()) {
      const acquired = job.deliveries.filter((delivery) => delivery.state === 'acquired');
      if (job.status === 'queued') expect(acquired).toEqual([]);
      if (job.status === 'completed') expect(state.queue.has(job)).toBe(false);
      const isOffered = job.deliveries.some((delivery) => delivery.state === 'offered');
      if (job.status === 'queued') expect(state.queue.has(job)).toBe(!isOffered);
      expect(job.conclusion === undefined).toBe(job.status !== 'completed');
    }
    for (const delivery of state.deliveries.values()) {
      expect(delivery.lockedUntil).toBeGreaterThanOrEqual(this.#locks.get(delivery) ?? 0);
      this.#locks.set(delivery, delivery.lockedUntil);
      const labels = delivery.runner.labels;
      expect(delivery.job.labels.every((label) => labels.includes(label))).toBe(true);
    }
    for (const run of state.runs.values()) {
      if (run.status !== 'completed') continue;
      const jobs = this.domain.runs.jobs(run);
      expect(jobs.every(({ status }) => status === 'completed')).toBe(true);
      expect(jobs.flatMap((job) => job.deliveries).some(({ state: now }) => now === 'acquired')).toBe(false);
    }
  }

  async #act(action: Step): Promise<void> {
    const { runs, runners, sessions, context } = this.domain;
    switch (action.do) {
      case 'enqueue':
        runs.create({
          jobs: [{ repository: 'acme/web', labels: [action.label], siblings: action.siblings }],
        });
        break;
      case 'runner': {
        const { ephemeral, label } = action;
        const name = `r${String(++this.#names)}`;
        const options = { name, scope: 'orgs/acme', groupId: 1, labels: [label], jit: ephemeral, ephemeral };
        sessions.create(runners.register({ ...options, publicKey: key }), 'model');
        break;
      }
      case 'advance':
        await this.clock.advance(action.ms);
        break;
      case 'cancel':
      case 'force-cancel':
      case 'rerun':
        this.#actOnRun(action.do, pickFrom(context.state.runs.values(), action.pick));
        break;
      case 'complete': {
        const delivery = pickFrom(context.state.deliveries.values(), action.pick);
        if (delivery !== undefined) this.domain.locks.complete(delivery, action.conclusion);
        break;
      }
      default:
        this.#actOnOne(action.do, action.pick);
    }
  }

  #actOnRun(kind: 'cancel' | 'force-cancel' | 'rerun', run: Run | undefined): void {
    const { runs } = this.domain;
    if (run === undefined) return;
    if (kind === 'cancel') runs.cancel(run);
    else if (kind === 'force-cancel') runs.forceCancel(run);
    else runs.rerun(run, () => true);
  }

  #actOnOne(kind: string, pick: number): void {
    const { state } = this.domain.context;
    const delivery = pickFrom(state.deliveries.values(), pick);
    const runner = pickFrom(state.runners.values(), pick);
    if (runner !== undefined) this.#actOnRunner(kind, runner);
    if (delivery === undefined) return;
    if (kind === 'acquire') this.domain.locks.acquire(delivery.runner, delivery.id, String(delivery.shard));
    if (kind === 'renew') this.domain.locks.renew(delivery);
    if (kind === 'start') this.domain.locks.start(delivery, 'worker');
    if (kind === 'ack' && delivery.state === 'offered') this.domain.dispatcher.acknowledge(delivery);
  }

  #actOnRunner(kind: string, runner: Runner): void {
    const { session } = runner;
    const { sessions, polls, runners } = this.domain;
    const signal = new AbortController().signal;
    if (kind === 'session') sessions.create(runner, 'model');
    if (kind === 'delete-runner') runners.delete(runner);
    if (session === undefined) return;
    if (kind === 'take') {
      void polls.wait(session, 'online', signal, 0);
      const { offer } = session;
      if (offer !== undefined) this.domain.locks.acquire(runner, offer.id, String(offer.shard));
    }
    if (kind === 'end-session') sessions.end(session, 'session-deleted');
    if (kind === 'poll') void polls.wait(session, 'online', signal, 0);
    if (kind === 'busy') void polls.wait(session, 'busy', signal, 0);
  }
}

function pickFrom<T>(values: Iterable<T>, pick: number): T | undefined {
  const all = [...values];
  return all[pick % Math.max(1, all.length)];
}

test.each([false, true])(
  'whatever happens, the invariants hold and every job ends (busy polls: %s)',
  async (busyPolls) => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 30, maxLength: 80, size: 'max' }),
        fc.nat(),
        async (steps, seed) => {
          const clock = new FakeClock();
          const model = new Model(domainOf(clock, { busyPolls, seed }), clock);
          for (const action of steps) await model.run(action);
          await clock.advance(2 * 86_400_000);
          model.check();
          const { tally, state, violations, events } = model.domain.context;
          for (const [type, count] of Object.entries(events.counts()))
            seen.set(type, (seen.get(type) ?? 0) + count);
          expect(tally.verdict(violations.count).open).toBe(0);
          expect([...state.runs.values()].every(({ status }) => status === 'completed')).toBe(true);
          expect([state.queue.size, state.sessions.size, state.waiting.size]).toEqual([0, 0, 0]);
          expect(clock.pendingTimers).toBe(0);
        },
      ),
      { numRuns: 50 },
    );
  },
);
