import type { Clock } from '@interlock/base';
import { FakeClock, recordLog } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import { TypedError, type Kind, type KubeObject } from '@interlock/api';
import type { Lease } from '../client/kinds.js';
import { LeaseServer } from '../testing/lease-server.js';
import { LeaderElector, type LeaderElectorOptions } from './leader-election.js';

/** Returns a running elector with its own clock, which may be wrong. */
function elect(
  server: LeaseServer,
  identity: string,
  {
    stop = new AbortController(),
    ...options
  }: Partial<LeaderElectorOptions> & { stop?: AbortController } = {},
) {
  const log: string[] = [];
  const elector = new LeaderElector({
    leaseName: 'web',
    namespace: 'ns',
    identity,
    client: server,
    clock: new FakeClock(),
    log: recordLog(),
    random: () => 0,
    onAcquired: () => log.push('acquired'),
    onLost: () => log.push('lost'),
    onNewLeader: (leader) => log.push(`leader ${leader}`),
    ...options,
  });
  const ended = elector.run(stop.signal);
  const end = (): Promise<string> => {
    stop.abort();
    return ended;
  };
  return { elector, log, ended, stop, end };
}

/** Lets `a` lead until the server changes its state after some milliseconds. */
async function leaderUntil(ms: number, state: LeaseServer['state']) {
  const server = new LeaseServer();
  const clock = new FakeClock();
  const a = elect(server, 'a', { clock });
  await clock.advance(ms);
  server.state = state;
  return { server, clock, a };
}

/** Returns a clock whose time can pass without its timers, as in a process that is frozen. */
function freezable(clock: FakeClock) {
  let frozenMs = 0;
  const now = () => clock.now() + frozenMs;
  const frozen: Clock = { now, monotonic: now, setTimeout: (callback, ms) => clock.setTimeout(callback, ms) };
  return { clock: frozen, freeze: (ms: number) => void (frozenMs = ms) };
}

/** Returns two clocks an hour apart that run at the same speed. */
function clocks() {
  const ours = new FakeClock(Date.UTC(2026, 0, 1));
  const theirs = new FakeClock(Date.UTC(2026, 0, 1, 1));
  const advance = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 500)
      await Promise.all([ours.advance(500), theirs.advance(500)]);
  };
  return { ours, theirs, advance };
}

describe('LeaderElector', () => {
  it('releases a lease that it acquired while it was stopped', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const stop = new AbortController();
    const client = {
      get: server.get.bind(server),
      update: server.update.bind(server),
      async create<T extends KubeObject>(kind: Kind<T>, object: unknown): Promise<T> {
        await server.create(kind, object);
        stop.abort();
        throw new TypedError('Transient', 'the answer was lost');
      },
    };
    const a = elect(server, 'a', { clock, client, stop });
    expect([await a.ended, server.lease?.spec?.holderIdentity, a.log]).toEqual(['released', '', []]);
  });

  it('creates the lease, renews it and releases it on stop', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const a = elect(server, 'a', { clock });
    await clock.advance(0);
    expect(server.lease?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    await clock.advance(60_000);
    expect(server.lease?.spec).toMatchObject({
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:01:00.000000Z',
    });
    expect([a.elector.leads, a.elector.healthy, server.reads]).toEqual([true, true, 1]);
    expect(await a.end()).toBe('released');
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseTransitions: 0 });
    expect([a.elector.leads, a.log, clock.pendingTimers]).toEqual([false, ['leader a', 'acquired'], 0]);
  });

  it('takes over a released lease at the next attempt', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const a = elect(server, 'a', { clock });
    await clock.advance(0);
    const b = elect(server, 'b', { clock });
    await clock.advance(10_000);
    expect(b.log).toEqual(['leader a']);
    await a.end();
    await clock.advance(2_000);
    expect(b.log).toEqual(['leader a', 'leader b', 'acquired']);
    expect(server.lease?.spec?.leaseTransitions).toBe(1);
    await b.end();
  });

  it('never leads together with another elector when the first leader is disconnected and the clocks differ', async () => {
    const server = new LeaseServer();
    const { ours, theirs, advance } = clocks();
    const cut = {
      state: server.state,
      get: server.get.bind(server),
      create: server.create.bind(server),
      update: server.update.bind(server),
    };
    const away = async (): Promise<never> => {
      throw new TypedError('Transient', 'cut off');
    };
    const a = elect(server, 'a', { clock: ours, client: cut });
    await advance(500);
    const b = elect(server, 'b', { clock: theirs });
    await advance(20_000);
    expect([a.elector.leads, b.elector.leads]).toEqual([true, false]);
    Object.assign(cut, { get: away, create: away, update: away });
    const leaders: boolean[][] = [];
    for (let i = 0; i < 60; i++) {
      await advance(500);
      leaders.push([a.elector.leads, b.elector.leads]);
    }
    expect(leaders.filter(([first, second]) => first && second)).toEqual([]);
    expect(leaders.at(-1)).toEqual([false, true]);
    expect([await a.ended, a.log.at(-1)]).toEqual(['lost', 'lost']);
    await b.end();
  });

  it.each(['away', 'silent'] as const)(
    'keeps the lease during a short outage of a server that is %s',
    async (state) => {
      const { server, clock, a } = await leaderUntil(1_000, state);
      await clock.advance(5_500);
      server.state = 'up';
      await clock.advance(60_000);
      expect([a.elector.leads, a.log]).toEqual([true, ['leader a', 'acquired']]);
      await a.end();
    },
  );

  it('keeps the lease when one renewal is not answered, although the retry period is a large part of the deadline', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const timing = { leaseDurationMs: 6_000, renewDeadlineMs: 4_000, retryPeriodMs: 1_500 };
    const a = elect(server, 'a', { clock, ...timing });
    await clock.advance(1_000);
    server.state = 'silent';
    await clock.advance(2_000);
    server.state = 'up';
    await clock.advance(60_000);
    expect([a.elector.leads, a.log]).toEqual([true, ['leader a', 'acquired']]);
    await a.end();
  });

  it.each(['away', 'silent'] as const)(
    'gives up at the renew deadline if the server stays %s',
    async (state) => {
      const { clock, a } = await leaderUntil(4_000, state);
      await clock.advance(9_999);
      expect([a.elector.leads, a.log.at(-1)]).toEqual([true, 'acquired']);
      await clock.advance(1);
      expect([a.elector.leads, a.log.at(-1), await a.ended]).toEqual([false, 'lost', 'lost']);
      await clock.advance(5_000);
      expect(a.elector.healthy).toBe(false);
    },
  );

  it('does not lead by a lease that expired in a freeze before the answer to its acquisition', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const { freeze, ...frozen } = freezable(clock);
    const client = {
      get: server.get.bind(server),
      update: server.update.bind(server),
      async create<T extends KubeObject>(kind: Kind<T>, object: unknown): Promise<T> {
        const created = await server.create(kind, object);
        freeze(600_000);
        const taken = { ...server.lease, spec: { ...server.lease?.spec, holderIdentity: 'b' } };
        await server.update(kind, taken as KubeObject as T);
        return created;
      },
    };
    const a = elect(server, 'a', { client, ...frozen });
    await clock.advance(5_000);
    expect(a.log).toEqual(['leader a', 'leader b']);
    expect(await a.end()).toBe('released');
  });

  it('detects the loss of leadership after a freeze, before any timer fires', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const { freeze, ...frozen } = freezable(clock);
    const a = elect(server, 'a', frozen);
    await clock.advance(0);
    freeze(10_000);
    expect([a.elector.leads, a.log]).toEqual([false, ['leader a', 'acquired']]);
    await clock.advance(2_000);
    expect(await a.ended).toBe('lost');
  });

  it('does not lead again after it has appeared as lost, when the answer to a renewal arrives after a freeze', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const { freeze, ...frozen } = freezable(clock);
    const seen: boolean[] = [];
    const client = {
      get: server.get.bind(server),
      create: server.create.bind(server),
      async update<T extends KubeObject>(kind: Kind<T>, object: T): Promise<T> {
        const updated = await server.update(kind, object);
        freeze(9_000);
        seen.push(a.elector.leads);
        return updated;
      },
    };
    const a = elect(server, 'a', { client, ...frozen });
    await clock.advance(2_000);
    expect([seen, a.elector.leads, a.log.at(-1)]).toEqual([[false], false, 'lost']);
    expect(await a.ended).toBe('lost');
  });

  it('loses leadership at once when another process holds the lease', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const a = elect(server, 'a', { clock });
    await clock.advance(0);
    await server.update({} as Kind<Lease>, {
      ...server.lease!,
      spec: { ...server.lease!.spec, holderIdentity: 'thief' },
    });
    await clock.advance(2_000);
    expect([await a.ended, server.lease?.spec?.holderIdentity]).toEqual(['lost', 'thief']);
  });

  it('continues to lead after other clients deleted or changed its lease', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    let slow = 0;
    const a = elect(server, 'a', { clock, onSlowPath: () => slow++ });
    await clock.advance(0);
    await server.update({} as Kind<Lease>, {
      ...server.lease!,
      metadata: { ...server.lease!.metadata, labels: { a: 'b' } },
    });
    await clock.advance(2_000);
    server.lease = undefined;
    await clock.advance(2_000);
    expect([a.elector.leads, server.lease!.spec?.holderIdentity, slow]).toEqual([true, 'a', 2]);
    await a.end();
  });

  it('releases the lease even if it did not wait for the answer to its last renewal', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const a = elect(server, 'a', { clock });
    await clock.advance(0);
    await server.update({} as Kind<Lease>, server.lease!);
    expect([await a.end(), server.lease!.spec?.holderIdentity]).toEqual(['released', '']);
  });

  it('stops without an error if it never led', async () => {
    const server = new LeaseServer();
    server.state = 'away';
    const clock = new FakeClock();
    const a = elect(server, 'a', { clock });
    await clock.advance(5_000);
    expect([a.elector.healthy, await a.end(), a.log]).toEqual([false, 'released', []]);
  });

  it.each([
    [{ leaseDurationMs: 10_000, renewDeadlineMs: 10_000 }, 'the lease duration must be longer'],
    [{ renewDeadlineMs: 2_000, retryPeriodMs: 2_000 }, 'the renew deadline must be longer'],
  ])('refuses the periods %j', (periods, message) => {
    const options = {
      leaseName: 'web',
      namespace: 'ns',
      identity: 'a',
      client: new LeaseServer(),
      clock: new FakeClock(),
      log: recordLog(),
      random: () => 0,
    };
    expect(() => new LeaderElector({ ...options, ...periods })).toThrow(message);
  });
});
