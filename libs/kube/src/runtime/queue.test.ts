import { FakeClock } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { noMetrics, type QueueMetrics } from './metrics-types.js';
import { WorkQueue, type WorkQueueOptions } from './queue.js';

function queueOn(clock: FakeClock, options: Partial<WorkQueueOptions> = {}): WorkQueue {
  return new WorkQueue({ clock, random: () => 0.5, metrics: noMetrics.queue('test'), ...options });
}

/** Returns what `get` yields now, without waiting for a key. */
async function next(queue: WorkQueue): Promise<string | undefined> {
  return queue.depth === 0 ? undefined : queue.get();
}

describe('WorkQueue', () => {
  it('holds a key once, however often it is added', async () => {
    const queue = queueOn(new FakeClock());
    queue.add('a');
    queue.add('a');
    expect(await next(queue)).toBe('a');
    expect(await next(queue)).toBeUndefined();
  });

  it('processes a key again if it is added during its processing, and only after that processing has ended', async () => {
    const queue = queueOn(new FakeClock());
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.add('a');
    expect(queue.depth).toBe(0);
    queue.done('a');
    expect(await next(queue)).toBe('a');
    queue.done('a');
    expect(queue.depth).toBe(0);
  });

  it('passes a key to a waiting worker', async () => {
    const queue = queueOn(new FakeClock());
    const waiting = queue.get();
    queue.add('a');
    expect(await waiting).toBe('a');
    expect(queue.inFlight).toBe(1);
  });

  it('uses the shortest of several delays', async () => {
    const clock = new FakeClock();
    const queue = queueOn(clock);
    queue.addAfter('a', 5_000);
    queue.addAfter('a', 1_000);
    queue.addAfter('a', 9_000);
    await clock.advance(999);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(await next(queue)).toBe('a');
    queue.done('a');
    await clock.advance(60_000);
    expect(queue.depth).toBe(0);
  });

  it('keeps its delays, whatever the clock is set to', async () => {
    const add = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      afterMs: fc.integer({ min: 1, max: 90_000 }),
    });
    const event = fc.record({
      add: fc.option(add),
      stepMs: fc.integer({ min: -3_600_000, max: 3_600_000 }),
      passMs: fc.integer({ min: 0, max: 60_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 20 }), async (events) => {
        const clock = new FakeClock(0);
        const queue = queueOn(clock);
        const due = new Map<string, number>();
        for (const { add: added, stepMs, passMs } of events) {
          if (added !== null) {
            const at = clock.monotonic() + added.afterMs;
            due.set(added.key, Math.min(due.get(added.key) ?? Infinity, at));
            queue.addAfter(added.key, added.afterMs);
          }
          clock.set(stepMs);
          await clock.advance(passMs);
          const expected = [...due].filter(([, at]) => at <= clock.monotonic()).map(([key]) => key);
          const taken: string[] = [];
          for (let key = await next(queue); key !== undefined; key = await next(queue)) {
            queue.done(key);
            due.delete(key);
            taken.push(key);
          }
          expect(taken.sort()).toEqual(expected.sort());
        }
      }),
      { numRuns: 50 },
    );
  });

  it('prefers live keys to the keys of the initial list, without starving the latter', async () => {
    const queue = queueOn(new FakeClock());
    for (let i = 0; i < 3; i++) queue.add(`initial-${i}`, 'initial');
    for (let i = 0; i < 20; i++) queue.add(`live-${i}`);
    queue.add('initial-2');
    const order: string[] = [];
    for (let key = await next(queue); key !== undefined; key = await next(queue)) order.push(key);
    expect(order.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, i) => `live-${i}`));
    expect(order[9]).toBe('initial-0');
    expect(order[19]).toBe('initial-1');
    expect(order.at(-1)).toBe('initial-2');
    expect(order).toHaveLength(23);
  });

  it('increases the backoff per key with full jitter, up to the cap, until the key is forgotten', () => {
    const queue = queueOn(new FakeClock(), { backoff: { baseMs: 100, maxMs: 1_000 } });
    expect([1, 2, 3, 4, 5, 6].map(() => queue.addRateLimited('a'))).toEqual([50, 100, 200, 400, 500, 500]);
    expect(queue.addRateLimited('b')).toBe(50);
    queue.forget('a');
    expect(queue.failures('a')).toBe(0);
    expect(queue.addRateLimited('a')).toBe(50);
  });

  it.each([
    ['', 0],
    [', whatever the clock is set to', -3_600_000],
    [', whatever the clock is set to', 3_600_000],
  ])(
    'spreads the retries of many keys by the bucket, and does not delay a key longer than the longest backoff%s',
    async (_, stepMs) => {
      const clock = new FakeClock();
      const queue = queueOn(clock, {
        random: () => 0,
        backoff: { baseMs: 1, maxMs: 500 },
        bucket: { perSecond: 10, burst: 2 },
      });
      const retry = (): number[] => Array.from({ length: 9 }, (_, i) => queue.addRateLimited(`key-${i}`));
      expect(retry()).toEqual([0, 0, 100, 200, 300, 400, 500, 500, 500]);
      clock.set(stepMs);
      expect(queue.addRateLimited('at once')).toBe(500);
      await clock.advance(600);
      expect(queue.addRateLimited('other')).toBe(0);
    },
  );

  it('drops waiting keys on shutdown, and waits for keys in progress', async () => {
    const clock = new FakeClock();
    const queue = queueOn(clock);
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    await queue.get();
    const states: string[] = [];
    const stopped = queue.shutDown().then(() => states.push('stopped'));
    await clock.advance(1_000);
    expect(states).toEqual([]);
    queue.add('d');
    queue.add('a');
    queue.done('a');
    await stopped;
    expect([queue.depth, queue.inFlight, clock.pendingTimers]).toEqual([0, 0, 0]);
    expect(await queue.get()).toBeUndefined();
  });

  it('releases waiting workers on shutdown', async () => {
    const queue = queueOn(new FakeClock());
    const workers = [queue.get(), queue.get()];
    await queue.shutDown();
    expect(await Promise.all(workers)).toEqual([undefined, undefined]);
  });

  it('reports the metrics of client-go', async () => {
    const clock = new FakeClock();
    const reports: string[] = [];
    let inFlight: () => readonly number[] = () => [];
    const metrics: QueueMetrics = {
      depth: (keys) => reports.push(`depth ${keys}`),
      added: () => reports.push('added'),
      retried: () => reports.push('retried'),
      waited: (seconds) => reports.push(`waited ${seconds}`),
      worked: (seconds) => reports.push(`worked ${seconds}`),
      observeInFlight: (durations) => (inFlight = durations),
    };
    const queue = queueOn(clock, { metrics });
    queue.add('a');
    await clock.advance(1_500);
    await queue.get();
    queue.add('a');
    queue.add('a');
    await clock.advance(250);
    expect(inFlight()).toEqual([250]);
    queue.done('a');
    queue.addRateLimited('b');
    expect(reports).toEqual([
      'added',
      'depth 1',
      'waited 1.5',
      'depth 0',
      'added',
      'worked 0.25',
      'depth 1',
      'retried',
    ]);
  });
});

describe('WorkQueue, whatever happens', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd');
  const operation = fc.oneof(
    fc.record({
      do: fc.constant('add' as const),
      key,
      priority: fc.constantFrom('live' as const, 'initial' as const),
    }),
    fc.record({ do: fc.constant('addAfter' as const), key, ms: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ do: fc.constant('get' as const) }),
    fc.record({ do: fc.constant('done' as const), key }),
    fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 30 }) }),
  );

  it('agrees with a model: loses no key, never processes a key twice at a time, and uses the shortest delay', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
        const clock = new FakeClock(0);
        const queue = queueOn(clock);
        const model = {
          waiting: new Set<string>(),
          working: new Set<string>(),
          again: new Set<string>(),
          due: new Map<string, number>(),
        };
        const added = (name: string): void => {
          (model.working.has(name) ? model.again : model.waiting).add(name);
        };
        const take = async (): Promise<void> => {
          const name = await next(queue);
          expect(name === undefined).toBe(model.waiting.size === 0);
          if (name === undefined) return;
          expect(model.waiting.delete(name)).toBe(true);
          expect(model.working.has(name)).toBe(false);
          model.working.add(name);
        };
        const done = (name: string): void => {
          queue.done(name);
          if (model.working.delete(name) && model.again.delete(name)) model.waiting.add(name);
        };
        const advance = async (ms: number): Promise<void> => {
          await clock.advance(ms);
          for (const [name, at] of model.due) {
            if (at > clock.now()) continue;
            model.due.delete(name);
            added(name);
          }
        };
        for (const step of operations) {
          if (step.do === 'add') {
            queue.add(step.key, step.priority);
            added(step.key);
          } else if (step.do === 'addAfter') {
            queue.addAfter(step.key, step.ms);
            model.due.set(step.key, Math.min(model.due.get(step.key) ?? Infinity, clock.now() + step.ms));
          } else if (step.do === 'get') await take();
          else if (step.do === 'done') done(step.key);
          else await advance(step.ms);
          expect([queue.depth, queue.inFlight]).toEqual([model.waiting.size, model.working.size]);
        }
        await advance(50);
        while (model.waiting.size + model.working.size > 0) {
          await take();
          for (const name of [...model.working]) done(name);
        }
        expect([queue.depth, queue.inFlight, clock.pendingTimers]).toEqual([0, 0, 0]);
      }),
      { numRuns: 200 },
    );
  });
});
