import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Connection } from '../relay/connection.js';
import type { RelayEngine } from '../relay/engine.js';
import { HeldBytes } from '../relay/held.js';
import { connectEnds } from '../relay/loopback.js';
import { socketsEngineOf } from '../relay/sockets/sockets-engine.js';
import { Tunnel, type TunnelEnd } from '../relay/tunnel.js';
import { pattern } from './pattern.js';
import { Peer } from './peer.js';

const isLong = process.env['INTERLOCK_LONG_TESTS'] === '1';
const runs = isLong ? 10_000 : 60;
const mebibyte = 1024 * 1024;
/** Bytes in each direction of the bulk transfer. */
const bulk = (isLong ? 1024 : 16) * mebibyte;
/** Creates the outer ends of the tunnels, whose bytes are not held by the proxy. */
const outside = socketsEngineOf(new HeldBytes());
const greeting = 'HTTP/1.1 200 Connection Established\r\n\r\n';

interface Harness {
  client: Peer;
  target: Peer;
  tunnel: Tunnel;
  ends: TunnelEnd[];
  ended: Promise<TunnelEnd>;
}

/** Defines the tests that every engine passes. */
export function describeRelay(engine: RelayEngine): void {
  const open: Peer[] = [];
  afterEach(() => {
    for (const peer of open.splice(0)) peer.connection.close();
  });

  /**
   * Starts a tunnel.
   *
   * @param prepare runs before the start, with the other end of the target and the connection to it
   */
  async function start(
    earlyBytes = 0,
    prepare?: (outer: Peer, inner: Connection) => Promise<void>,
  ): Promise<Harness> {
    const { client, target, outerClient, outerTarget } = await connectEnds(engine, outside);
    const peers = { client: new Peer(outerClient, greeting), target: new Peer(outerTarget) };
    open.push(peers.client, peers.target);
    await prepare?.(peers.target, target);
    const ends: TunnelEnd[] = [];
    let report: (end: TunnelEnd) => void = () => undefined;
    const ended = new Promise<TunnelEnd>((resolve) => (report = resolve));
    peers.client.sent = earlyBytes;
    const early = pattern(0, earlyBytes);
    const parts = { client, target, greeting: Buffer.from(greeting), early, hasClientEnded: false };
    const tunnel = new Tunnel(parts, (end) => {
      ends.push(end);
      report(end);
    });
    return { ...peers, tunnel, ends, ended };
  }

  describe(`the engine ${engine.name}`, () => {
    test('delivers early data before later data, and the greeting before all data of the target', async () => {
      const { client, target, ended } = await start(3000);
      client.send(5000);
      client.end();
      target.send(70_000);
      target.end();
      expect(await ended).toBe('completed');
      await Promise.all([client.until((peer) => peer.hasEnd), target.until((peer) => peer.hasEnd)]);
      expect([target.received, target.isExact]).toEqual([8000, true]);
      expect([client.received, client.isExact]).toEqual([70_000, true]);
    });

    test.each(['client', 'target'] as const)(
      'keeps the other half open when the %s ends its half',
      async (which) => {
        const harness = await start();
        const [first, second] =
          which === 'client' ? [harness.client, harness.target] : [harness.target, harness.client];
        first.send(10);
        first.end();
        await second.until((peer) => peer.hasEnd);
        second.send(3_000_000);
        second.end();
        await first.until((peer) => peer.hasEnd);
        expect([first.received, first.isExact, second.received]).toEqual([3_000_000, true, 10]);
        expect(await harness.ended).toBe('completed');
      },
    );

    test.each(['client', 'target'] as const)('resets the other side when the %s resets', async (which) => {
      const harness = await start();
      const [first, second] =
        which === 'client' ? [harness.client, harness.target] : [harness.target, harness.client];
      first.send(10);
      await second.until((peer) => peer.received === 10);
      first.reset();
      await second.until((peer) => peer.isReset);
      expect(await harness.ended).toBe(`${which}Reset`);
      expect(harness.ends).toHaveLength(1);
    });

    test.each(['client', 'target'] as const)(
      'buffers a bounded number of bytes for a %s that does not read',
      async (which) => {
        const harness = await start();
        const { tunnel } = harness;
        const [slow, fast] =
          which === 'client' ? [harness.client, harness.target] : [harness.target, harness.client];
        slow.connection.pause();
        const total = 64 * 1024 * 1024;
        for (let left = total; left > 0; left -= 1024 * 1024) fast.send(1024 * 1024);
        fast.end();
        /* How much the kernel buffers depends on the machine; the test only requires that reading stops. */
        let before = -1;
        for (let same = 0; same < 500;) {
          await new Promise(setImmediate);
          const read = tunnel.bytesUp + tunnel.bytesDown;
          same = read === before ? same + 1 : 0;
          before = read;
          expect(tunnel.buffered).toBeLessThanOrEqual(512 * 1024);
        }
        expect(before).toBeLessThan(total);
        slow.connection.resume();
        slow.end();
        await slow.until((peer) => peer.hasEnd);
        expect([slow.received, slow.isExact, await harness.ended]).toEqual([total, true, 'completed']);
        expect(tunnel.buffered).toBe(0);
      },
    );

    test('relays bulk data in both directions without changing a byte, and buffers a bounded part of it', async () => {
      const { client, target, tunnel, ended } = await start();
      let most = 0;
      const pump = async (peer: Peer): Promise<void> => {
        while (peer.sent < bulk) {
          await peer.flushed();
          peer.send(mebibyte);
          most = Math.max(most, tunnel.buffered);
        }
        peer.end();
      };
      await Promise.all([pump(client), pump(target)]);
      await Promise.all([client.until((peer) => peer.hasEnd), target.until((peer) => peer.hasEnd)]);
      expect([client.received, client.isExact]).toEqual([bulk, true]);
      expect([target.received, target.isExact]).toEqual([bulk, true]);
      expect(await ended).toBe('completed');
      expect([tunnel.bytesUp, tunnel.bytesDown]).toEqual([bulk, bulk]);
      expect(most).toBeLessThanOrEqual(mebibyte);
    }, 600_000);

    test('resets both sides of a tunnel that is cut, and reports the cut once', async () => {
      const { client, target, tunnel, ends } = await start();
      client.send(10);
      await target.until((peer) => peer.received === 10);
      tunnel.cut();
      tunnel.cut();
      expect(ends).toEqual(['cut']);
      await Promise.all([client.until((peer) => peer.isReset), target.until((peer) => peer.isReset)]);
    });

    test('resets both sides of a tunnel that is cut while a half is being ended', async () => {
      const { client, target, outerClient, outerTarget } = await connectEnds(engine, outside);
      const peers = [new Peer(outerClient), new Peer(outerTarget)];
      open.push(...peers);
      const released = new Promise<void>((resolve) => (target.holder = { release: resolve }));
      const empty = Buffer.alloc(0);
      const parts = { client, target, greeting: empty, early: empty, hasClientEnded: true };
      new Tunnel(parts, () => undefined).cut();
      await released;
      for (const peer of peers) await peer.until(({ isReset }) => isReset);
    });

    test.each(['client', 'target'] as const)('cuts a tunnel whose %s does not read', async (which) => {
      const { client, target, tunnel, ended } = await start();
      const [slow, fast] = which === 'client' ? [client, target] : [target, client];
      slow.connection.pause();
      fast.send(64 * 1024 * 1024);
      while (tunnel.buffered === 0) await new Promise(setImmediate);
      tunnel.cut();
      slow.connection.resume();
      await Promise.all([slow.until((peer) => peer.isReset), fast.until((peer) => peer.isReset)]);
      expect([slow.hasEnd, fast.hasEnd, await ended]).toEqual([false, false, 'cut']);
    });

    test('delivers what a target sends before the tunnel starts, and buffers a bounded part of it', async () => {
      const { client, tunnel, ended } = await start(0, async (outer, inner) => {
        outer.send(3_000_000);
        outer.end();
        while (inner.buffered === 0) await new Promise(setImmediate);
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        expect(inner.buffered).toBeLessThanOrEqual(128 * 1024);
      });
      client.end();
      await client.until((peer) => peer.hasEnd);
      expect([client.received, client.isExact, tunnel.bytesDown]).toEqual([3_000_000, true, 3_000_000]);
      expect(await ended).toBe('completed');
    });

    test.each(['end', 'reset'] as const)(
      'relays the %s of a target before the tunnel starts',
      async (how) => {
        const { client, ended } = await start(0, async (outer) => {
          outer[how]();
          for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        });
        await client.until((peer) => (how === 'end' ? peer.hasEnd : peer.isReset));
        client.end();
        expect(await ended).toBe(how === 'end' ? 'completed' : 'targetReset');
      },
    );

    test('ends a tunnel whose client disconnects before the tunnel starts', async () => {
      const { client, target, ...outer } = await connectEnds(engine, outside);
      open.push(new Peer(outer.outerTarget), new Peer(outer.outerClient));
      client.close();
      const parts = {
        client,
        target,
        greeting: Buffer.from(greeting),
        early: Buffer.alloc(0),
        hasClientEnded: false,
      };
      const end = await new Promise((resolve) => void new Tunnel(parts, resolve));
      expect(end).toBe('clientReset');
      expect(target.isClosed).toBe(true);
    });

    test('does not lose a byte under any schedule of chunks, half-closes and resets', async () => {
      const side = fc.constantFrom('client', 'target');
      const step = fc.oneof(
        { weight: 6, arbitrary: fc.record({ side, send: fc.integer({ min: 1, max: 300_000 }) }) },
        { weight: 1, arbitrary: fc.record({ side, turns: fc.integer({ min: 0, max: 4 }) }) },
      );
      const schedule = fc.record({
        steps: fc.array(step, { maxLength: 12 }),
        endFirst: side,
        resetBy: fc.option(side, { freq: 4 }),
        early: fc.integer({ min: 0, max: 2000 }),
      });
      await fc.assert(
        fc.asyncProperty(schedule, async ({ steps, endFirst, resetBy, early }) => {
          const harness = await start(early);
          for (const one of steps) {
            if ('send' in one) harness[one.side as 'client'].send(one.send);
            else for (let turn = 0; turn < one.turns; turn++) await new Promise(setImmediate);
          }
          if (resetBy !== null) await endByReset(harness, resetBy as 'client');
          else await endBoth(harness, endFirst as 'client');
          expect(harness.ends).toHaveLength(1);
          for (const peer of open.splice(0)) peer.connection.close();
        }),
        { numRuns: runs },
      );
    }, 600_000);
  });
}

async function endBoth(harness: Harness, endFirst: 'client' | 'target'): Promise<void> {
  const { client, target } = harness;
  const [first, second] = endFirst === 'client' ? [client, target] : [target, client];
  first.end();
  await second.until((peer) => peer.hasEnd);
  second.end();
  await first.until((peer) => peer.hasEnd);
  expect([client.received, client.isExact]).toEqual([target.sent, true]);
  expect([target.received, target.isExact]).toEqual([client.sent, true]);
  expect(await harness.ended).toBe('completed');
  expect([harness.tunnel.bytesUp, harness.tunnel.bytesDown]).toEqual([client.sent, target.sent]);
}

async function endByReset(harness: Harness, by: 'client' | 'target'): Promise<void> {
  const { client, target } = harness;
  const [first, second] = by === 'client' ? [client, target] : [target, client];
  first.reset();
  await second.until((peer) => peer.isReset);
  expect(['clientReset', 'targetReset']).toContain(await harness.ended);
  expect([client.isExact, target.isExact]).toEqual([true, true]);
}
