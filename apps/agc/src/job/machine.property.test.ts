import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runnerContainer } from '@interlock/api';
import { silentLog } from '@interlock/base';
import type { JobConclusion } from '@interlock/broker';
import { Pod, Secret } from '@interlock/kube';
import { trace } from '@opentelemetry/api';
import type { AgcContext } from '../context.js';
import { EndedJobs } from '../group/ended-jobs.js';
import { Places } from '../group/places.js';
import { ScaleUp } from '../group/scale-up.js';
import { JobLocks } from '../lock/job-locks.js';
import type { ScheduledRerun } from '../rerun/store.js';
import { workerPodName } from '../worker-pod/build.js';
import { actOnJob } from './act.js';
import { decideJob } from './decide.js';
import { jobSecrets } from './job-secret.js';
import type { LockView } from './observed.js';
import { isHeld, viewPod } from './pod-view.js';
import { JobStore, recordOf } from './store.js';
import { claimOf, group, now as begun, settings, worker } from './testing/builders.js';
import { MemoryClient } from './testing/memory-client.js';

const namespace = 'team-a';
const claim = claimOf('request-1', { run: { repository: 'acme/web', runId: '1' } });

/** Simulates the end of the process: the act does not continue. */
class Crash extends Error {}

/** A job and the events that happen to it. Counts the calls that leave the cluster. */
class Simulation {
  readonly memory = new MemoryClient();
  readonly counts = { runs: 0, conclusions: 0, reruns: 0, removals: 0 };
  now = begun;
  /** The number of the call in a reconcile at which the process ends. */
  crashAfter = Infinity;
  #calls = 0;
  isJobOver = false;
  lockView: LockView = { isRenewed: false, lostAt: undefined };
  readonly #key = { name: 'job-plan-1', namespace };
  readonly #started = new Set<string>();
  readonly #context: AgcContext;

  constructor() {
    for (const secret of jobSecrets(group, claim, begun)) this.memory.put(Secret, secret);
    const call = (): void => {
      if (++this.#calls >= this.crashAfter) throw new Crash();
    };
    this.memory.before = call;
    this.memory.after = call;
    const { client } = this.memory;
    const clock = { now: () => this.now, monotonic: () => this.now };
    const source = {
      lock: () => ({ complete: async (_conclusion: JobConclusion) => this.#conclude(call) }),
    };
    const work = {
      source,
      log: silentLog,
      release: async () => {
        call();
        this.counts.removals++;
      },
    };
    const reruns = new Set<string>();
    this.#context = {
      ...{
        namespace,
        tracer: trace.getTracer('test'),
        manager: { client, clock },
        jobs: new JobStore(client),
      },
      ...{ places: new Places(), scaleUp: new ScaleUp(), ended: new EndedJobs(), locks: new JobLocks() },
      caches: { pods: { byIndex: () => [] } },
      groups: { get: () => work },
      reruns: {
        schedule: async (_group: unknown, { run }: ScheduledRerun) => {
          call();
          reruns.add(run.runId);
          this.counts.reruns = reruns.size;
          call();
        },
      },
      worker,
    } as unknown as AgcContext;
  }

  get isDone(): boolean {
    return this.memory.read(Secret, this.#key) === undefined;
  }

  get pod(): Pod | undefined {
    const secret = this.memory.read(Secret, this.#key);
    const record = secret && recordOf(secret);
    return record && this.memory.read(Pod, { name: workerPodName('linux', record), namespace });
  }

  /** Reconciles the job once; a crash may interrupt this. */
  async reconcile(): Promise<void> {
    this.#calls = 0;
    const secret = this.memory.read(Secret, this.#key);
    const record = secret && recordOf(secret);
    if (secret === undefined || record === undefined) return;
    const pod = this.pod;
    const observed = {
      ...{ secret, record, group, settings, lock: this.lockView, isRetiring: false },
      pod: pod && viewPod(pod, this.now, record.stop),
      place: { type: 'free' } as const,
    };
    const decision = decideJob(observed, this.now);
    try {
      await actOnJob(this.#context, decision, observed, {
        signal: AbortSignal.timeout(60_000),
        now: this.now,
      });
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
  }

  start(): void {
    const { pod } = this;
    if (pod === undefined || pod.status !== undefined || pod.metadata.deletionTimestamp !== undefined) return;
    if (isHeld(pod)) return;
    this.#set({ phase: 'Running' }, { running: {} });
  }

  /** Lets the runner read its job, which then counts as run. */
  begin(): void {
    const uid = this.pod?.metadata.uid ?? '';
    if (this.pod?.status?.phase !== 'Running' || this.#started.has(uid)) return;
    this.#started.add(uid);
    this.counts.runs++;
  }

  finish(): void {
    if (!this.#started.has(this.pod?.metadata.uid ?? '') || this.pod?.status?.phase !== 'Running') return;
    this.isJobOver = true;
    this.counts.conclusions++;
    this.#end('Succeeded', 0, undefined, 'succeeded');
  }

  /** Evicts the pod; a report remains if the program has run. */
  evict(): void {
    if (this.pod === undefined || this.pod.status?.phase === 'Succeeded') return;
    if (isHeld(this.pod)) return this.vanish();
    this.#end('Failed', 137, 'Evicted', undefined);
  }

  /** Removes the pod without a record of how it ended. */
  vanish(): void {
    const { pod } = this;
    if (pod !== undefined) this.memory.remove(Pod, { name: pod.metadata.name, namespace });
  }

  #end(phase: string, exitCode: number, reason: string | undefined, result: string | undefined): void {
    const { pod } = this;
    if (pod === undefined) return;
    const jobSent = this.#started.has(pod.metadata.uid ?? '');
    const message = JSON.stringify({ version: 1, jobSent, result });
    const ran = pod.status !== undefined;
    this.#set({ phase, ...(reason && { reason }) }, ran ? { terminated: { exitCode, message } } : undefined);
  }

  #set(status: Pod['status'], state: object | undefined): void {
    const { pod } = this;
    if (pod === undefined) return;
    const containerStatuses = state === undefined ? [] : [{ name: runnerContainer, state }];
    this.memory.put(Pod, {
      ...pod,
      spec: { ...pod.spec, nodeName: 'node' },
      status: { ...status, containerStatuses },
    } as Pod);
  }

  #conclude(call: () => void): void {
    call();
    if (!this.isJobOver) this.counts.conclusions++;
    this.isJobOver = true;
    call();
  }
}

type Step = { type: 'reconcile'; crashAfter: number } | { type: 'event'; name: keyof typeof events };

const events = {
  renew: (simulation: Simulation) => void (simulation.lockView = { ...simulation.lockView, isRenewed: true }),
  loseLock: (simulation: Simulation) =>
    void (simulation.lockView = { isRenewed: true, lostAt: simulation.now }),
  start: (simulation: Simulation) => simulation.start(),
  begin: (simulation: Simulation) => simulation.begin(),
  finish: (simulation: Simulation) => simulation.finish(),
  evict: (simulation: Simulation) => simulation.evict(),
  vanish: (simulation: Simulation) => simulation.vanish(),
  wait: (simulation: Simulation) => void (simulation.now += 60_000),
};

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('reconcile' as const),
      crashAfter: fc.integer({ min: 1, max: 12 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('event' as const),
      name: fc.constantFrom(...(Object.keys(events) as (keyof typeof events)[])),
    }),
  },
);

const reconcile: Step = { type: 'reconcile', crashAfter: 99 };
const event = (name: keyof typeof events): Step => ({ type: 'event', name });
const inPod = [event('renew'), reconcile, event('start'), reconcile];
/** The process ends when the pod is created, before it is recorded. */
const createdOnly: Step = { type: 'reconcile', crashAfter: 2 };
/** Sequences that random generation may miss. */
const examples: [Step[]][] = [
  [[...inPod, event('begin'), event('evict'), reconcile]],
  [[...inPod, event('evict'), reconcile]],
  [[...inPod, event('begin'), event('vanish'), reconcile]],
  [[...inPod, event('begin'), event('finish'), event('vanish'), reconcile]],
  [[...inPod, event('begin'), event('loseLock'), reconcile, event('wait'), reconcile]],
  [[event('renew'), createdOnly, event('start'), event('begin'), event('vanish'), reconcile]],
  [[event('renew'), createdOnly, reconcile, event('start'), event('begin'), event('vanish'), reconcile]],
];

async function play(steps: readonly Step[]): Promise<Simulation> {
  const simulation = new Simulation();
  for (const one of steps) {
    if (one.type === 'event') events[one.name](simulation);
    else {
      simulation.crashAfter = one.crashAfter;
      await simulation.reconcile();
    }
  }
  /* From here on nothing fails: the node runs the remaining pods, and the process does not crash. */
  simulation.crashAfter = Infinity;
  events.renew(simulation);
  for (let round = 0; round < 60 && !simulation.isDone; round++) {
    await simulation.reconcile();
    if (simulation.pod?.metadata.deletionTimestamp !== undefined) simulation.vanish();
    simulation.start();
    simulation.begin();
    simulation.finish();
    events.wait(simulation);
  }
  return simulation;
}

describe('a job', () => {
  it('begins once, ends, and is concluded once, in any order of events and crashes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 40 }), async (steps) => {
        const simulation = await play(steps);
        expect(simulation.isDone).toBe(true);
        expect(simulation.counts.runs).toBeLessThanOrEqual(1);
        expect(simulation.counts.conclusions).toBeLessThanOrEqual(1);
        expect(simulation.counts.reruns).toBeLessThanOrEqual(1);
        expect(simulation.counts.removals).toBeGreaterThanOrEqual(1);
        /* A job that began is concluded or, when its lock is lost, run again. */
        if (simulation.counts.runs === 1)
          expect(simulation.isJobOver || simulation.counts.reruns === 1).toBe(true);
      }),
      { numRuns: process.env['INTERLOCK_LONG_TESTS'] === '1' ? 20_000 : 300, seed: 15, examples },
    );
  });
});
