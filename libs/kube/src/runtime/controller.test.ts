import { FakeClock, recordLog } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import { TypedError, type ErrorType, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import { Registry } from 'prom-client';
import { ConfigMap, Secret } from '../client/kinds.js';
import { MemoryCache } from '../testing/memory-cache.js';
import { Controller, type ControllerDeps } from './controller.js';
import { createKubeMetrics } from './metrics.js';
import type { ControllerOptions, Reconcile, ReconcileContext } from './types.js';

function configMap(name: string, metadata: Partial<KubeObject['metadata']> = {}): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'ns', uid: `uid-${name}`, ...metadata },
  };
}

function secret(name: string, owner?: string): Secret {
  const reference = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: owner ?? '',
    uid: `uid-${owner}`,
    controller: true,
  };
  const ownerReferences = owner === undefined ? [] : [reference];
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'ns', ownerReferences } };
}

/** Returns a running controller of ConfigMaps over caches that the test fills. */
function start(
  reconcile: Reconcile,
  options: Partial<ControllerOptions<ConfigMap>> = {},
  deps: Partial<ControllerDeps> = {},
) {
  const clock = new FakeClock();
  const log = recordLog();
  const registry = new Registry();
  const maps = new MemoryCache(ConfigMap);
  const secrets = new MemoryCache(Secret);
  const caches = new Map<string, unknown>([
    ['ConfigMap', maps],
    ['Secret', secrets],
  ]);
  const stop = new AbortController();
  const kill = new AbortController();
  let id = 0;
  const controller = new Controller(
    { name: 'web', for: { kind: ConfigMap }, reconcile, ...options },
    {
      cache: <T extends KubeObject>(kind: Kind<T>) => caches.get(kind.kind) as MemoryCache<T>,
      clock,
      log,
      metrics: createKubeMetrics(registry),
      random: () => 0.5,
      newId: () => `id-${++id}`,
      ...deps,
    },
  );
  const ended = controller.run(stop.signal, kill.signal);
  const metric = async (name: string): Promise<Record<string, number>> => {
    const { values } = await registry.getSingleMetric(`controller_runtime_${name}`)!.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels['result'] ?? '', value]));
  };
  const end = (): Promise<void> => {
    stop.abort();
    return ended;
  };
  return { clock, log, maps, secrets, controller, stop, kill, ended, end, metric };
}

/** Returns a reconcile that records the time of its call, and then behaves like `then`. */
function noting(then: (key: ObjectKey, context: ReconcileContext) => unknown = () => undefined) {
  const calls: { name: string; at: number }[] = [];
  const reconcile: Reconcile = async (key, context) => {
    calls.push({ name: key.name, at: context.now });
    const result = await then(key, context);
    return result === undefined ? undefined : (result as { requeueAfterMs: number });
  };
  return { calls, reconcile, names: () => calls.map(({ name }) => name) };
}

describe('Controller sources', () => {
  it('reconciles existing, new and deleted objects', async () => {
    const { reconcile, names } = noting();
    const run = start(reconcile);
    run.maps.set(configMap('a'));
    await run.clock.advance(0);
    run.maps.set(configMap('a', { generation: 2 }));
    await run.clock.advance(0);
    run.maps.remove({ namespace: 'ns', name: 'a' });
    await run.clock.advance(0);
    await run.end();
    expect(names()).toEqual(['a', 'a', 'a']);
    expect(await run.metric('reconcile_total')).toEqual({ success: 3 });
  });

  it('wakes an existing object once at the start, and not for each object that concerns it', async () => {
    const { reconcile, names } = noting();
    const maps = new MemoryCache(ConfigMap, configMap('a'));
    const secrets = new MemoryCache(Secret, secret('first', 'a'), secret('second'));
    const mapped: string[] = [];
    const map = ({ metadata }: KubeObject) => {
      mapped.push(metadata.name);
      return [{ namespace: 'ns', name: 'a' }];
    };
    const caches = new Map<string, unknown>([
      ['ConfigMap', maps],
      ['Secret', secrets],
    ]);
    const cache = <T extends KubeObject>(kind: Kind<T>) => caches.get(kind.kind) as MemoryCache<T>;
    const run = start(reconcile, { owns: [{ kind: Secret }], watches: [{ kind: Secret, map }] }, { cache });
    await run.clock.advance(0);
    expect([names(), mapped]).toEqual([['a'], []]);
    secrets.set(secret('third'));
    await run.clock.advance(0);
    await run.end();
    expect([names(), mapped]).toEqual([['a', 'a'], ['third']]);
  });

  it('keeps nothing of a deleted object that was to be reconciled much later', async () => {
    const run = start(
      noting(() => (run.maps.list().length > 0 ? { requeueAfterMs: 1e9 } : undefined)).reconcile,
    );
    run.maps.set(configMap('a'));
    await run.clock.advance(0);
    expect(run.clock.pendingTimers).toBe(1);
    run.maps.remove({ namespace: 'ns', name: 'a' });
    await run.clock.advance(0);
    expect(run.clock.pendingTimers).toBe(0);
    await run.end();
  });

  it('reconciles the owner of a child and the previous owner of a moved child, but no owner of another kind', async () => {
    const { reconcile, names } = noting();
    const run = start(reconcile, { owns: [{ kind: Secret }] });
    run.secrets.set(secret('s', 'a'));
    await run.clock.advance(0);
    run.secrets.set(secret('s', 'b'));
    await run.clock.advance(0);
    run.secrets.set(secret('orphan'));
    await run.clock.advance(0);
    await run.end();
    expect(names()).toEqual(['a', 'a', 'b']);
  });

  it('maps watched objects, filtered by predicates', async () => {
    const { reconcile, names } = noting();
    const run = start(reconcile, {
      for: { kind: ConfigMap, predicate: () => false },
      watches: [
        {
          kind: Secret,
          predicate: (event) => event.object.metadata.name !== 'ignored',
          map: ({ metadata }) => [{ namespace: 'ns', name: `for-${metadata.name}` }],
        },
      ],
    });
    run.maps.set(configMap('a'));
    run.secrets.set(secret('ignored'));
    run.secrets.set(secret('s'));
    await run.clock.advance(0);
    await run.end();
    expect(names()).toEqual(['for-s']);
  });

  it('survives an error in a mapping', async () => {
    const { reconcile, names } = noting();
    const map = (): never => {
      throw new RangeError('broken');
    };
    const run = start(reconcile, { watches: [{ kind: Secret, map }] });
    run.secrets.set(secret('s'));
    run.maps.set(configMap('a'));
    await run.clock.advance(0);
    await run.end();
    expect(names()).toEqual(['a']);
    expect(run.log.lines).toContainEqual(expect.objectContaining({ level: 'error', error: 'broken' }));
  });
});

describe('Controller workers', () => {
  it('processes a limited number of keys at a time, and never processes a key twice at a time', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const running = new Map<string, number>();
    let most = 0;
    const { reconcile, calls } = noting(async ({ name }) => {
      running.set(name, (running.get(name) ?? 0) + 1);
      most = Math.max(most, running.size);
      expect(running.get(name)).toBe(1);
      await gate;
      running.delete(name);
    });
    const run = start(reconcile, { concurrency: 2 });
    for (const name of ['a', 'b', 'c']) run.maps.set(configMap(name));
    await run.clock.advance(0);
    run.maps.set(configMap('a', { generation: 2 }));
    await run.clock.advance(0);
    expect(await run.metric('active_workers')).toEqual({ '': 2 });
    release();
    await run.clock.advance(0);
    await run.end();
    expect(most).toBe(2);
    expect(calls.map(({ name }) => name).sort()).toEqual(['a', 'a', 'b', 'c']);
  });

  it('reconciles again after requeueAfterMs, and for a key that is enqueued explicitly', async () => {
    const { reconcile, calls } = noting(() => ({ requeueAfterMs: 60_000 }));
    const run = start(reconcile);
    const began = run.clock.now();
    run.controller.enqueue({ namespace: 'ns', name: 'a' }, { afterMs: 1_000 });
    await run.clock.advance(61_000);
    await run.end();
    expect(calls.map(({ at }) => at - began)).toEqual([1_000, 61_000]);
    expect(await run.metric('reconcile_total')).toEqual({ requeue_after: 2 });
  });

  it('finishes running reconciles on stop, and starts no other reconciles', async () => {
    let release: () => void = () => undefined;
    const done: string[] = [];
    const { reconcile } = noting(async ({ name }, { signal }) => {
      await new Promise<void>((resolve) => (release = resolve));
      done.push(`${name} ${signal.aborted}`);
    });
    const run = start(reconcile, { concurrency: 1 });
    run.maps.set(configMap('a'));
    run.maps.set(configMap('b'));
    await run.clock.advance(0);
    run.stop.abort();
    await run.clock.advance(1_000);
    expect(done).toEqual([]);
    release();
    await run.ended;
    expect(done).toEqual(['a false']);
  });

  it('aborts running reconciles on kill, and ignores their errors', async () => {
    const { reconcile } = noting(
      (_key, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('killed')))),
    );
    const run = start(reconcile);
    run.maps.set(configMap('a'));
    await run.clock.advance(0);
    run.stop.abort();
    run.kill.abort();
    await run.ended;
    expect(await run.metric('reconcile_panics_total')).toEqual({ '': 0 });
    expect(run.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('Controller errors', () => {
  const failing = (...errors: (Error | undefined)[]) =>
    noting(() => {
      const error = errors.length > 1 ? errors.shift() : errors[0];
      if (error !== undefined) throw error;
    });
  const typed = (type: ErrorType, retryAfterMs?: number) =>
    new TypedError(type, `It is ${type}.`, retryAfterMs === undefined ? {} : { retryAfterMs });

  it.each([
    ['Transient', typed('Transient'), 500, 'error'],
    ['RateLimited', typed('RateLimited', 40_000), 42_000, 'requeue_after'],
    ['Conflict', typed('Conflict'), 50, 'error'],
    ['Invalid', typed('Invalid'), 315_000, 'error'],
    ['a defect', new RangeError('Oops'), 500, 'error'],
  ])('repeats after %s', async (_case, error, delayMs, result) => {
    const { reconcile, calls } = failing(error, undefined);
    const run = start(reconcile, { backoff: { baseMs: 1_000, maxMs: 60_000 } });
    run.maps.set(configMap('a'));
    await run.clock.advance(400_000);
    await run.end();
    expect(calls.map(({ at }) => at - calls[0]!.at)).toEqual([0, delayMs]);
    expect(await run.metric('reconcile_total')).toEqual({ [result]: 1, success: 1 });
  });

  it('counts defects and logs them with their stacks, and resets the backoff after a success', async () => {
    const { reconcile, calls } = failing(
      new RangeError('Oops'),
      new RangeError('Oops'),
      undefined,
      new RangeError('Oops'),
      undefined,
    );
    const run = start(reconcile, { backoff: { baseMs: 1_000, maxMs: 60_000 } });
    run.maps.set(configMap('a'));
    await run.clock.advance(10_000);
    run.maps.set(configMap('a', { generation: 2 }));
    await run.clock.advance(10_000);
    await run.end();
    expect(calls.map(({ at }) => at - calls[0]!.at)).toEqual([0, 500, 1_500, 10_000, 10_500]);
    expect(await run.metric('reconcile_panics_total')).toEqual({ '': 3 });
    const panics = run.log.lines.filter(({ message }) => message === 'reconcile panicked');
    expect(panics).toHaveLength(3);
    expect(panics[0]).toMatchObject({
      controller: 'web',
      namespace: 'ns',
      name: 'a',
      reconcileID: 'id-1',
      level: 'error',
      error: 'Oops',
    });
    expect(panics[0]!['stack']).toContain('controller.test');
  });

  it('logs a failure that only a change can resolve once per change', async () => {
    const { reconcile, calls } = failing(typed('Invalid'));
    const run = start(reconcile);
    run.maps.set(configMap('a', { generation: 1 }));
    await run.clock.advance(700_000);
    run.maps.set(configMap('a', { generation: 2 }));
    await run.clock.advance(0);
    await run.end();
    expect(calls).toHaveLength(4);
    const levels = run.log.lines
      .filter(({ message }) => message === 'reconcile failed')
      .map(({ level }) => level);
    expect(levels).toEqual(['error', 'debug', 'debug', 'error']);
    expect(await run.metric('terminal_reconcile_errors_total')).toEqual({ '': 4 });
  });

  it.each([
    ['object', 0],
    ['clock', 3_600_000],
    ['clock', -3_600_000],
  ])('limits attempts with a refused credential, even when the %s changes', async (_, stepMs) => {
    const { reconcile, calls } = failing(typed('Unauthorized'));
    const run = start(reconcile);
    const seconds: number[] = [];
    for (let second = 0; second < 60; second++) {
      run.maps.set(configMap('a', { generation: second }));
      await run.clock.advance(1_000);
      while (seconds.length < calls.length) seconds.push(second);
      run.clock.set(stepMs);
    }
    await run.end();
    expect(seconds).toEqual([0, 1, 2, 6, 14, 30]);
  });

  it('aborts a reconcile at its timeout, and repeats the reconcile', async () => {
    const { reconcile, calls } = noting((_key, { signal }) =>
      calls.length > 1
        ? undefined
        : new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    const run = start(reconcile, { timeoutMs: 2_000, backoff: { baseMs: 1_000, maxMs: 60_000 } });
    run.maps.set(configMap('a'));
    await run.clock.advance(5_000);
    await run.end();
    expect(calls.map(({ at }) => at - calls[0]!.at)).toEqual([0, 2_500]);
    expect(await run.metric('reconcile_timeouts_total')).toEqual({ '': 1 });
    expect(await run.metric('reconcile_panics_total')).toEqual({ '': 0 });
  });

  it('does not reconcile an object that is older than its own last write', async () => {
    const { reconcile, calls } = noting();
    const run = start(
      reconcile,
      {},
      { isStale: (_kind, key, cache) => cache.get(key)?.metadata.resourceVersion === '1' },
    );
    run.maps.set(configMap('a', { resourceVersion: '1' }));
    await run.clock.advance(5_000);
    expect(calls).toEqual([]);
    run.maps.set(configMap('a', { resourceVersion: '2' }));
    await run.clock.advance(0);
    expect(calls).toHaveLength(1);
    await run.end();
  });

  it('asks a cache that stays silent for minutes less and less often, but at least every second', async () => {
    const { calls, reconcile } = noting();
    let asked = 0;
    let isSilent = true;
    const isStale = (): boolean => {
      asked += 1;
      return isSilent;
    };
    const run = start(reconcile, {}, { isStale });
    run.maps.set(configMap('a'));
    await run.clock.advance(100);
    expect(asked).toBeGreaterThanOrEqual(3);
    await run.clock.advance(180_000);
    expect(asked).toBeLessThan(200);
    isSilent = false;
    await run.clock.advance(1_000);
    expect(calls).toHaveLength(1);
    await run.end();
  });

  it('reports a wait that is not a number, and keeps the waits of other keys', async () => {
    const { calls, reconcile } = noting(({ name }) => ({ requeueAfterMs: name === 'bad' ? NaN : 1_000 }));
    const run = start(reconcile);
    run.maps.set(configMap('bad'));
    run.maps.set(configMap('good'));
    await run.clock.advance(0);
    await run.clock.advance(1_000);
    expect(calls.filter(({ name }) => name === 'good')).toHaveLength(2);
    expect(run.log.lines.map(({ message }) => message)).toContain('reconcile panicked');
    await run.end();
  });
});
