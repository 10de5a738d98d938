import { FakeClock, recordLog } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import type { Kind, KubeObject } from '@interlock/api';
import { ConfigMap, Secret } from '../client/kinds.js';
import type { Client } from '../client/types.js';
import { LeaseServer } from '../testing/lease-server.js';
import { KubeManager, type ManagerOptions } from './manager.js';
import type { Manager } from './manager-types.js';
import type { Runnable } from './runnable.js';

const object = (name: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1' },
});

/** A cluster of fixed ConfigMaps, one Lease and no changes. */
class Cluster extends LeaseServer {
  /** Lists are answered when it resolves. */
  listed: Promise<void> = Promise.resolve();
  readonly written: string[] = [];

  client(): Client {
    const until = (signal: AbortSignal | undefined) =>
      new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('aborted'))),
      );
    const items = <T extends KubeObject>(kind: Kind<T>) =>
      (kind.kind === 'ConfigMap' ? [object('a'), object('b')] : []) as KubeObject[] as T[];
    const page = async <T extends KubeObject>(kind: Kind<T>, signal: AbortSignal | undefined) =>
      Promise.race([this.listed.then(() => ({ items: items(kind), resourceVersion: '1' })), until(signal)]);
    return {
      get: (kind, key, options) => this.get(kind, key, options),
      create: (kind, body, options) => this.create(kind, body, options),
      update: (kind, body, options) => this.update(kind, body, options),
      list: (kind, options) => page(kind, options?.signal),
      async *listPages(kind, options) {
        yield await page(kind, options?.signal);
      },
      async *watch(_kind, options) {
        yield { type: 'BOOKMARK', resourceVersion: '1' };
        await until(options.signal);
      },
      resolveKind: () => Promise.resolve(undefined),
      patch: async (_kind, key) => {
        this.written.push(key.name);
        return object(key.name) as never;
      },
      apply: () => Promise.reject(new Error('not here')),
      delete: () => Promise.reject(new Error('not here')),
      raw: () => Promise.reject(new Error('not here')),
      close: () => Promise.resolve(),
    };
  }
}

const leaderElection = { leaseName: 'web', namespace: 'ns', identity: 'me' };

function start(build: (manager: KubeManager, log: string[]) => void, options: Partial<ManagerOptions> = {}) {
  const cluster = new Cluster();
  const clock = new FakeClock();
  const log: string[] = [];
  const manager = new KubeManager({
    client: cluster.client(),
    clock,
    log: recordLog(),
    random: () => 0,
    ...options,
  });
  build(manager, log);
  const stop = new AbortController();
  const run = (): { ended: Promise<string> } => ({
    ended: manager.run(stop.signal).then(
      () => 'stopped',
      (error: Error) => error.message,
    ),
  });
  return { cluster, clock, log, manager, stop, run };
}

/** Records its start and its end, which takes `msToStop`. */
function runnable(
  name: string,
  log: string[],
  clock: Manager['clock'],
  options: { leads?: boolean; msToStop?: number } = {},
): Runnable {
  return {
    name,
    needsLeaderElection: options.leads ?? true,
    async run(signal) {
      log.push(`${name} starts`);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, options.msToStop ?? 0));
      log.push(`${name} ends`);
    },
  };
}

describe('createManager', () => {
  it('reports a hung worker of any of its controllers', async () => {
    const { clock, manager, stop, run } = start((manager) => {
      const of = { for: { kind: ConfigMap } };
      manager.addController({ ...of, name: 'fine', reconcile: () => Promise.resolve(undefined) });
      manager.addController({
        ...of,
        name: 'stuck',
        reconcile: async () => {
          await new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
        },
      });
    });
    const { ended } = run();
    await clock.advance(900_000);
    expect(manager.hungWorker()).toBeUndefined();
    await clock.advance(1);
    expect(manager.hungWorker()).toMatchObject({ controller: 'stuck', key: 'ns/a' });
    stop.abort();
    await clock.advance(0);
    expect(await ended).toBe('stopped');
  });

  it('starts its parts in order, and stops them in reverse order', async () => {
    const { cluster, clock, log, manager, stop, run } = start(
      (manager, log) => {
        manager.add(runnable('webhooks', log, manager.clock, { leads: false }));
        manager.add(runnable('poller', log, manager.clock));
        manager.addController({
          name: 'maps',
          for: { kind: ConfigMap },
          reconcile: async ({ name }) => void log.push(`reconcile ${name}`),
        });
      },
      { leaderElection },
    );
    let list: () => void = () => undefined;
    cluster.listed = new Promise((resolve) => (list = resolve));
    expect(manager.ready()).toBe(false);
    const { ended } = run();
    await clock.advance(0);
    expect([log, manager.ready()]).toEqual([[], false]);
    list();
    await clock.advance(60_000);
    expect(log).toEqual(['webhooks starts', 'poller starts', 'reconcile a', 'reconcile b']);
    expect([manager.ready(), cluster.lease?.spec?.holderIdentity]).toEqual([true, 'me']);
    stop.abort();
    expect(manager.ready()).toBe(false);
    await clock.advance(1_000);
    expect(await ended).toBe('stopped');
    expect(log.slice(4)).toEqual(['poller ends', 'webhooks ends']);
    expect([cluster.lease?.spec?.holderIdentity, clock.pendingTimers]).toEqual(['', 0]);
  });

  it('starts nothing else when it is stopped while the caches sync', async () => {
    const { cluster, clock, log, stop, run } = start(
      (manager, log) => {
        manager.cache(ConfigMap);
        manager.add(runnable('webhooks', log, manager.clock, { leads: false }));
      },
      { leaderElection },
    );
    cluster.listed = new Promise(() => undefined);
    const { ended } = run();
    await clock.advance(0);
    stop.abort();
    await clock.advance(1_000);
    expect([await ended, log, cluster.lease]).toEqual(['stopped', [], undefined]);
  });

  it('serves without leading while another process leads', async () => {
    const { cluster, clock, log, manager, stop, run } = start(
      (manager, log) => {
        manager.add(runnable('webhooks', log, manager.clock, { leads: false }));
        manager.add(runnable('poller', log, manager.clock));
      },
      { leaderElection },
    );
    const spec = { holderIdentity: 'other', leaseDurationSeconds: 3_600 };
    cluster.lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'web', resourceVersion: '0' },
      spec,
    };
    const { ended } = run();
    await clock.advance(60_000);
    expect([log, manager.ready()]).toEqual([['webhooks starts'], true]);
    stop.abort();
    await clock.advance(1_000);
    expect([await ended, cluster.lease.spec?.holderIdentity]).toEqual(['stopped', 'other']);
  });

  it('ends when the lease is lost, and writes nothing from then on', async () => {
    const refused: unknown[] = [];
    const write = (manager: Manager) =>
      manager.client.patch(ConfigMap, { name: 'x' }, { type: 'merge', patch: {} });
    const { cluster, clock, manager, run } = start(
      (manager) =>
        manager.addController({
          name: 'maps',
          for: { kind: ConfigMap },
          async reconcile({ name }, { signal }) {
            if (name === 'b') return;
            await write(manager);
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
            await write(manager).catch((error: unknown) => refused.push(error));
          },
        }),
      { leaderElection },
    );
    const { ended } = run();
    await clock.advance(1_000);
    cluster.state = 'silent';
    await clock.advance(8_999);
    expect([cluster.written, refused]).toEqual([['x'], []]);
    await clock.advance(1_000);
    expect(await ended).toBe('Another process may lead now.');
    expect(refused).toMatchObject([{ type: 'Conflict', reason: 'LeadershipLost' }]);
    await expect(write(manager)).rejects.toMatchObject({ reason: 'LeadershipLost' });
    expect([cluster.written, clock.pendingTimers, manager.ready()]).toEqual([['x'], 0, false]);
  });

  it('refuses the writes of a process that was frozen past the renew deadline, before the process detects the loss', async () => {
    let frozenMs = 0;
    const fake = new FakeClock();
    const clock = {
      now: () => fake.now() + frozenMs,
      monotonic: () => fake.monotonic() + frozenMs,
      setTimeout: (callback: () => void, ms: number) => fake.setTimeout(callback, ms),
    };
    const { manager, stop, run } = start(() => undefined, { leaderElection, clock });
    const write = () => manager.client.patch(ConfigMap, { name: 'x' }, { type: 'merge', patch: {} });
    const { ended } = run();
    await fake.advance(1_000);
    await write();
    frozenMs = 10_000;
    await expect(write()).rejects.toMatchObject({ reason: 'LeadershipLost' });
    stop.abort();
    await fake.advance(1_000);
    await ended;
  });

  it('gives up when the caches do not sync', async () => {
    const { cluster, clock, log, run } = start((manager, log) => {
      manager.cache(Secret);
      manager.add(runnable('poller', log, manager.clock));
    });
    cluster.listed = new Promise(() => undefined);
    const { ended } = run();
    await clock.advance(120_000);
    expect([await ended, log]).toEqual(['The caches did not sync within 120000 ms.', []]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends after a runnable has failed and the others have stopped', async () => {
    const { clock, log, run } = start((manager, log) => {
      manager.add(runnable('poller', log, manager.clock));
      manager.add({ name: 'broken', run: () => Promise.reject(new Error('no port')) });
    });
    const { ended } = run();
    await clock.advance(1_000);
    expect([await ended, log]).toEqual(['no port', ['poller starts', 'poller ends']]);
  });

  it('waits for running work up to the grace period, then aborts the work and releases the lease', async () => {
    const { cluster, clock, log, stop, run } = start(
      (manager, log) => {
        manager.add(runnable('slow', log, manager.clock, { msToStop: 29_000 }));
        manager.add(runnable('stuck', log, manager.clock, { msToStop: 3_600_000 }));
      },
      { leaderElection },
    );
    const { ended } = run();
    await clock.advance(0);
    stop.abort();
    await clock.advance(29_999);
    expect([log.at(-1), cluster.lease?.spec?.holderIdentity]).toEqual(['slow ends', 'me']);
    await clock.advance(1_000);
    expect(await ended).toBe('stopping took longer than the grace period of 30000 ms');
    expect(cluster.lease?.spec?.holderIdentity).toBe('');
  });

  it('does not accept additions while it runs, and returns the same cache for the same options', async () => {
    const { clock, manager, stop, run } = start(() => undefined);
    expect(manager.cache(ConfigMap)).toBe(manager.cache(ConfigMap, {}));
    expect(manager.cache(ConfigMap)).not.toBe(manager.cache(ConfigMap, { namespace: 'ns' }));
    const { ended } = run();
    await clock.advance(0);
    expect(() => manager.add({ name: 'late', run: () => Promise.resolve() })).toThrow('too late for late');
    stop.abort();
    await clock.advance(0);
    expect(await ended).toBe('stopped');
  });
});
