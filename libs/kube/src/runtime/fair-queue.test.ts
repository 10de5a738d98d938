import { FakeClock } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { flowOfKey } from './flows.js';
import { noMetrics } from './metrics-types.js';
import { WorkQueue, type WorkQueueOptions } from './queue.js';

/** Returns the flow of a key such as `tenant/host.name`. */
function flowOf(key: string) {
  return { ...flowOfKey(key), host: /\/(\w+)\./.exec(key)?.[1] };
}

function fixture(options: Partial<WorkQueueOptions> = {}) {
  const clock = new FakeClock();
  const queue = new WorkQueue({
    clock,
    random: () => 0.5,
    metrics: noMetrics.queue('test'),
    flowOf,
    ...options,
  });
  const started: string[] = [];
  /** Starts a worker that records its key and does not end. */
  const work = (): void => void queue.get().then((key) => key !== undefined && started.push(key));
  return { clock, queue, started, work };
}

describe('a queue of keys from several namespaces', () => {
  it('serves the namespaces in turn, however many keys one of them adds', async () => {
    const { queue } = fixture();
    for (let n = 0; n < 1000; n++) queue.add(`greedy/x.${n}`);
    queue.add('modest/x.1');
    queue.add('modest/x.2');
    const order: (string | undefined)[] = [];
    for (let n = 0; n < 4; n++) order.push(await queue.get());
    expect(order).toEqual(['greedy/x.0', 'modest/x.1', 'greedy/x.1', 'modest/x.2']);
  });

  it('serves the hosts of a namespace in turn', async () => {
    const { queue } = fixture();
    for (let n = 0; n < 3; n++) queue.add(`team/slow.${n}`);
    queue.add('team/fast.0');
    expect(await queue.get()).toBe('team/slow.0');
    expect(await queue.get()).toBe('team/fast.0');
  });

  it('limits the workers of a namespace, and starts the next key when one ends', async () => {
    const { clock, queue, started, work } = fixture({ limits: { perTenant: 2, perHost: 100 } });
    for (let n = 0; n < 5; n++) queue.add(`greedy/x.${n}`);
    for (let n = 0; n < 4; n++) work();
    await clock.advance(0);
    expect(started).toEqual(['greedy/x.0', 'greedy/x.1']);
    expect(queue.depth).toBe(3);
    queue.add('modest/x.0');
    await clock.advance(0);
    expect(started.at(-1)).toBe('modest/x.0');
    queue.done('greedy/x.1');
    await clock.advance(0);
    expect(started.at(-1)).toBe('greedy/x.2');
  });

  it('limits the workers of a host, whichever namespace uses it', async () => {
    const { clock, queue, started, work } = fixture({ limits: { perTenant: 100, perHost: 2 } });
    for (let n = 0; n < 4; n++) queue.add(`team-${n}/slow.0`);
    queue.add('team-9/fast.0');
    for (let n = 0; n < 5; n++) work();
    await clock.advance(0);
    expect(started).toEqual(['team-0/slow.0', 'team-1/slow.0', 'team-9/fast.0']);
  });

  it('does not limit keys without a namespace', async () => {
    const { clock, queue, started, work } = fixture({ limits: { perTenant: 1, perHost: 1 } });
    queue.add('a');
    queue.add('b');
    work();
    work();
    await clock.advance(0);
    expect(started).toEqual(['a', 'b']);
  });

  it('does not delay keys because of the retries of another namespace', () => {
    const { queue } = fixture({ random: () => 0, bucket: { perSecond: 10, burst: 2 } });
    for (let n = 0; n < 1000; n++) queue.addRateLimited(`greedy/x.${n}`);
    expect(queue.addRateLimited('greedy/x.0')).toBeGreaterThan(10_000);
    expect(queue.addRateLimited('modest/x.0')).toBe(0);
  });

  it('never exceeds its limits, never delays a key that may run, and loses no key', async () => {
    const limits = { perTenant: 2, perHost: 3 };
    const key = fc
      .tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('h', 'i', 'j'), fc.nat(5))
      .map(([tenant, host, name]) => `${tenant}/${host}.${name}`);
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ add: key, initial: fc.boolean() }) },
      { weight: 2, arbitrary: fc.record({ done: fc.nat(20) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const { clock, queue, started, work } = fixture({ limits });
        for (let n = 0; n < 6; n++) work();
        const running = new Set<string>();
        const finished = new Set<string>();
        const added = new Set<string>();
        const settle = async (): Promise<void> => {
          await clock.advance(0);
          for (const one of started.splice(0)) running.add(one);
          for (const count of countsOf(running, 'tenant'))
            expect(count).toBeLessThanOrEqual(limits.perTenant);
          for (const count of countsOf(running, 'host')) expect(count).toBeLessThanOrEqual(limits.perHost);
        };
        const finish = async (one: string): Promise<void> => {
          running.delete(one);
          finished.add(one);
          queue.done(one);
          work();
          await settle();
        };
        for (const next of steps) {
          if ('add' in next) {
            added.add(next.add);
            queue.add(next.add, next.initial ? 'initial' : 'live');
            await settle();
          } else {
            const one = [...running][next.done % Math.max(1, running.size)];
            if (one !== undefined) await finish(one);
          }
        }
        for (let one = [...running][0]; one !== undefined; one = [...running][0]) await finish(one);
        expect(queue.depth).toBe(0);
        expect(finished).toEqual(added);
      }),
      { numRuns: 60 },
    );
  });
});

function countsOf(keys: Iterable<string>, part: 'tenant' | 'host'): Iterable<number> {
  const counts = new Map<string, number>();
  for (const key of keys) {
    const name = flowOf(key)[part] ?? '';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts.values();
}
