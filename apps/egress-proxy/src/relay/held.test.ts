import { afterEach, expect, it } from '@jest/globals';
import { Peer } from '../testing/peer.js';
import { WaitingClient } from '../head/waiting-client.js';
import type { RelayEngine } from './engine.js';
import { handlesEngine } from './handles/handles-engine.js';
import { HeldBytes, heldBytes } from './held.js';
import { connectEnds } from './loopback.js';
import { socketsEngine, socketsEngineOf } from './sockets/sockets-engine.js';
import { Tunnel } from './tunnel.js';

const mebibyte = 1024 * 1024;
const limit = mebibyte;

interface StuckTunnel {
  client: Peer;
  target: Peer;
  tunnel: Tunnel;
  isCut: boolean;
}

/** Starts a tunnel whose ends send and do not read. The bytes of the ends are not counted. */
async function startStuck(engine: RelayEngine): Promise<StuckTunnel> {
  const outside = socketsEngineOf(new HeldBytes());
  const { outerClient, outerTarget, ...inner } = await connectEnds(engine, outside);
  const [client, target] = [new Peer(outerClient), new Peer(outerTarget)];
  const empty = Buffer.alloc(0);
  const parts = { ...inner, greeting: empty, early: empty, hasClientEnded: false };
  const stuck = {
    ...{ client, target, isCut: false },
    tunnel: new Tunnel(parts, () => (stuck.isCut = true)),
  };
  for (const peer of [client, target]) {
    peer.connection.pause();
    peer.send(16 * mebibyte);
  }
  return stuck;
}

/** Returns a sum over the tunnels that are open. */
function sumOf(all: readonly StuckTunnel[], of: (tunnel: Tunnel) => number): number {
  return all.filter(({ isCut }) => !isCut).reduce((sum, { tunnel }) => sum + of(tunnel), 0);
}

afterEach(() => heldBytes.limit(Infinity, () => undefined));

it.each([socketsEngine, handlesEngine()])(
  'limits what tunnels of $name hold that nobody reads, and loses no byte of those that stay open',
  async (engine) => {
    const all: StuckTunnel[] = [];
    heldBytes.limit(limit, () => {
      const open = all.filter(({ isCut }) => !isCut);
      if (open.length === 0) return;
      open.reduce((most, one) => (one.tunnel.held > most.tunnel.held ? one : most)).tunnel.cut();
    });
    for (let count = 0; count < 24; count++) all.push(await startStuck(engine));
    for (let same = 0, before = -1; same < 200;) {
      await new Promise(setImmediate);
      const bytes = sumOf(all, (tunnel) => tunnel.bytesUp + tunnel.bytesDown);
      same = bytes === before ? same + 1 : 0;
      before = bytes;
      expect(sumOf(all, (tunnel) => tunnel.held)).toBeLessThanOrEqual(2 * limit);
    }
    /* A tunnel that moves again may hold more for a moment, and be cut. */
    heldBytes.limit(Infinity, () => undefined);
    for (const { client, target, isCut } of all) {
      client.connection.resume();
      target.connection.resume();
      await client.until((peer) => (isCut ? peer.isReset : peer.received === target.sent));
      await target.until((peer) => (isCut ? peer.isReset : peer.received === client.sent));
      expect([client.isExact, target.isExact]).toEqual([true, true]);
      client.connection.close();
      target.connection.close();
    }
    while (heldBytes.bytes > 0) await new Promise(setImmediate);
  },
);

it('reports only the excess that was not reset yet', async () => {
  const held = new HeldBytes();
  const reported: number[] = [];
  held.limit(100, (excess) => {
    reported.push(excess);
    held.addLeaving(excess);
  });
  held.add(103);
  await Promise.resolve();
  held.add(5);
  await Promise.resolve();
  held.add(-8);
  held.addLeaving(-8);
  held.add(1);
  await Promise.resolve();
  expect(reported).toEqual([3, 5, 1]);
});

it('has room for a quarter above the limit, although tunnels were reset', () => {
  const held = new HeldBytes();
  held.limit(100, () => undefined);
  held.add(120);
  held.addLeaving(120);
  expect([held.hasRoomFor(5), held.hasRoomFor(6)]).toEqual([true, false]);
});

it('resets a tunnel of handles whose bytes have no room', async () => {
  heldBytes.limit(0, () => undefined);
  const stuck = await startStuck(handlesEngine());
  while (!stuck.isCut) await new Promise(setImmediate);
  for (const peer of [stuck.client, stuck.target]) {
    peer.connection.resume();
    await peer.until(({ isReset }) => isReset);
  }
  expect([stuck.tunnel.held, heldBytes.bytes]).toEqual([0, 0]);
});

it.each([socketsEngine, handlesEngine()])(
  'holds nothing for a client of $name that sends early data, because there is no tunnel to reset',
  async (engine) => {
    const { client, target, outerClient, outerTarget } = await connectEnds(
      engine,
      socketsEngineOf(new HeldBytes()),
    );
    client.resume();
    const waiting = new WaitingClient(client, Buffer.alloc(0));
    outerClient.write(Buffer.from('early'));
    while (waiting.early.length < 5) await new Promise(setImmediate);
    expect([client.held, heldBytes.bytes]).toEqual([0, 0]);
    for (const connection of [client, target, outerClient, outerTarget]) connection.close();
  },
);
