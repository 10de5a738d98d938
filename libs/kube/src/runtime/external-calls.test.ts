import { delay } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import { TypedError, type ObjectKey } from '@interlock/api';
import { ConfigMap } from '../client/kinds.js';
import { MemoryCache } from '../testing/memory-cache.js';
import { Controller } from './controller.js';
import type { ReconcileContext, ReconcileResult } from './types.js';
import { controllerDeps } from '../testing/controller-deps.js';

const pollMs = 60_000;
const timeoutMs = 30_000;
const hour = 3_600_000;

/**
 * Returns a controller that polls a server for each object. The server of the namespaces `stuck`, `stuck-1` and so on
 * never answers.
 */
function fixture(stuck: number, { recoversAt = Infinity, namespaces = 1, isLocal = false } = {}) {
  const clock = new FakeClock();
  const startedAt = clock.now();
  const maps = new MemoryCache(ConfigMap);
  const calls = new Map<string, number>();
  let open = 0;
  let mostOpen = 0;
  async function reconcile(
    { namespace = '' }: ObjectKey,
    { signal }: ReconcileContext,
  ): Promise<ReconcileResult> {
    calls.set(namespace, (calls.get(namespace) ?? 0) + 1);
    if (namespace.startsWith('stuck') && clock.now() - startedAt < recoversAt) {
      mostOpen = Math.max(mostOpen, ++open);
      await delay(clock, timeoutMs, signal);
      open--;
      throw new TypedError('Transient', 'no answer', { isLocal });
    }
    return { requeueAfterMs: pollMs };
  }
  const controller = new Controller<ConfigMap>(
    {
      name: 'poll',
      for: { kind: ConfigMap },
      external: { hostOf: ({ namespace }) => `${namespace?.split('-')[0]}.example` },
      reconcile,
    },
    controllerDeps(maps, clock),
  );
  const add = (namespace: string, name: string): void =>
    maps.set({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name, uid: `${namespace}-${name}` },
    });
  for (let n = 0; n < stuck; n++) add(n % namespaces === 0 ? 'stuck' : `stuck-${n % namespaces}`, `map-${n}`);
  add('healthy', 'map');
  const stop = new AbortController();
  const ended = controller.run(stop.signal, stop.signal);
  return { clock, controller, calls, end: () => (stop.abort(), ended), mostOpen: () => mostOpen };
}

describe('a controller that calls servers which tenants choose', () => {
  it('polls for a tenant at the usual rate while 60 objects of another tenant wait for a server', async () => {
    const quiet = fixture(0);
    await quiet.clock.advance(hour);
    const attacked = fixture(60);
    await attacked.clock.advance(hour);
    expect(quiet.calls.get('healthy')).toBe(61);
    expect(attacked.calls.get('healthy')).toBe(61);
    expect(attacked.mostOpen()).toBe(4);
    await Promise.all([quiet.end(), attacked.end()]);
  });

  it('gives a server at most half of the workers, however many namespaces use it', async () => {
    const { clock, calls, end, mostOpen } = fixture(60, { namespaces: 20 });
    await clock.advance(hour);
    expect(mostOpen()).toBe(8);
    expect(calls.get('healthy')).toBe(61);
    await end();
  });

  it('serves the tenants of cluster-scoped objects in turn, although all of them use one server', async () => {
    const clock = new FakeClock();
    const maps = new MemoryCache(ConfigMap);
    const calls: string[] = [];
    const controller = new Controller<ConfigMap>(
      {
        name: 'poll',
        for: { kind: ConfigMap },
        external: { hostOf: () => 'shared.example', tenantOf: ({ name }) => name.split('-')[0] },
        async reconcile({ name }, { signal }) {
          calls.push(name);
          if (name.startsWith('slow')) await delay(clock, timeoutMs, signal);
        },
      },
      controllerDeps(maps, clock),
    );
    for (let n = 0; n < 60; n++)
      maps.set({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `slow-${n}`, uid: `slow-${n}` } });
    maps.set({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other-0', uid: 'other-0' } });
    const stop = new AbortController();
    const ended = controller.run(stop.signal, stop.signal);
    await clock.advance(1);
    expect(calls.filter((name) => name.startsWith('slow'))).toHaveLength(4);
    expect(calls).toContain('other-0');
    stop.abort();
    await clock.advance(timeoutMs);
    await ended;
  });

  it('starts the work of a tenant at once while another tenant waits for a server', async () => {
    const { clock, controller, calls, end } = fixture(60);
    await clock.advance(timeoutMs);
    const before = calls.get('healthy') ?? 0;
    for (let webhook = 1; webhook <= 20; webhook++) {
      controller.enqueue({ namespace: 'healthy', name: 'map' });
      await clock.advance(1);
      expect(calls.get('healthy')).toBe(before + webhook);
    }
    await end();
  });

  it('sends one attempt at a time to a server that does not answer, and resumes all objects once the server answers', async () => {
    const { clock, calls, end } = fixture(60, { recoversAt: hour });
    await clock.advance(hour / 2);
    const before = calls.get('stuck') ?? 0;
    await clock.advance(hour / 2);
    /* An attempt of 30 seconds, then a wait of two minutes. */
    expect((calls.get('stuck') ?? 0) - before).toBeLessThanOrEqual(24);
    expect((calls.get('stuck') ?? 0) - before).toBeGreaterThan(0);
    const failed = calls.get('stuck') ?? 0;
    await clock.advance(10 * pollMs);
    expect((calls.get('stuck') ?? 0) - failed).toBeGreaterThan(60 * 5);
    await end();
  });

  it('tries a server again after the object of the attempt was moved to another server meanwhile', async () => {
    const clock = new FakeClock();
    const maps = new MemoryCache(ConfigMap);
    const hosts = new Map<string, string>();
    const calls: string[] = [];
    const controller = new Controller<ConfigMap>(
      {
        name: 'poll',
        for: { kind: ConfigMap },
        external: { hostOf: ({ name }) => hosts.get(name) },
        concurrency: 16,
        async reconcile({ name }, { signal }) {
          calls.push(name);
          await delay(clock, timeoutMs, signal);
          throw new TypedError('Transient', 'no answer');
        },
      },
      controllerDeps(maps, clock),
    );
    for (const name of ['map-1', 'map-2', 'map-3']) {
      hosts.set(name, 'stuck.example');
      maps.set({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'team', name, uid: name } });
    }
    const stop = new AbortController();
    const ended = controller.run(stop.signal, stop.signal);
    await clock.advance(timeoutMs);
    while (calls.length < 4) await clock.advance(1_000);
    hosts.set(calls[3]!, 'other.example');
    await clock.advance(hour);
    const others = calls.slice(4).filter((name) => name !== calls[3]);
    expect(others.length).toBeGreaterThan(0);
    stop.abort();
    await clock.advance(timeoutMs);
    await ended;
  });

  it('does not treat failures on its own machine as failures of a server', async () => {
    const { clock, calls, end } = fixture(4, { recoversAt: timeoutMs, isLocal: true });
    await clock.advance(timeoutMs);
    expect(calls.get('stuck')).toBe(4);
    await clock.advance(1_000);
    expect(calls.get('stuck')).toBe(8);
    await end();
  });
});
