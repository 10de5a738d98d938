import { createHmac } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Lease } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { Pool } from 'undici';
import { environments, pendingPromotion } from './support/promotion-scenario.js';
import { Team, webhookSecret } from './support/team.js';
import { needsEmbedded, tenantName } from './support/test-cluster.js';
import { embeddedOf, startFixture, type Fixture } from './support/fixture.js';

const timeoutMs = 180_000;
const mebibyte = 1024 * 1024;
/** Number of clients that send continuously, and of connections that each stop in the middle of a large body. */
const clients = 1000;
const stalledBodies = 120;
/** The lease is renewed every two seconds, and is lost if it is not renewed for ten seconds. */
const renewals = 10;

let fixture: Fixture;
let attacked: Team;
let neighbour: Team;

beforeAll(async () => {
  fixture = await startFixture();
  const { path } = await pendingPromotion(join(fixture.folder, 'template.git'));
  const team = (name: string): Promise<Team> =>
    Team.create(fixture, { name: tenantName(name), template: path, environments });
  attacked = await team('attacked');
  neighbour = await team('neighbour');
  await attacked.connect();
  await neighbour.connect();
  fixture.fleet.processes.promoter.start();
}, timeoutMs);
afterAll(() => fixture.close());

async function leaseSpec() {
  const { namespaces } = fixture.platform.cluster;
  const { spec } = await fixture.platform.client.get(Lease, {
    namespace: namespaces.system,
    name: 'promoter',
  });
  return { holder: spec?.holderIdentity ?? '', renewedAt: spec?.renewTime ?? '' };
}

async function residentBytes(): Promise<number> {
  const metrics = await fixture.fleet.metrics('promoter');
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]);
}

function signature(body: string, secret: string): Record<string, string> {
  const hmac = createHmac('sha256', secret).update(body).digest('hex');
  return { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${hmac}` };
}

/** Repeatedly sends three kinds of deliveries until `stop` aborts: unsigned, forged, and for an unknown provider. */
async function flood(pool: Pool, stop: AbortSignal): Promise<void> {
  const path = `/webhooks/${attacked.name}/forge`;
  const forged = signature('{}', 'guessed');
  const kinds = [
    { path, headers: {} },
    { path, headers: forged },
    { path: `${path}s`, headers: forged },
  ];
  const client = async (index: number): Promise<void> => {
    const { path: to, headers } = kinds[index % kinds.length] ?? { path, headers: {} };
    while (!stop.aborted) {
      try {
        const { body } = await pool.request({ method: 'POST', path: to, headers, body: '{}', signal: stop });
        await body.dump();
      } catch {
        await delay(10);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
}

/** Opens connections that send most of a large body with a forged signature, and then stall. */
async function stall(url: URL): Promise<Socket[]> {
  const lines = [
    `POST /webhooks/${attacked.name}/forge HTTP/1.1`,
    'host: x',
    `content-length: ${5 * mebibyte}`,
    ...Object.entries(signature('{}', 'guessed')).map((header) => header.join(': ')),
  ];
  const begun = Buffer.alloc(4 * mebibyte, 'x');
  const sockets = Array.from({ length: stalledBodies }, () => connect(Number(url.port), url.hostname));
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    socket.resume();
  }
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) {
    socket.write([...lines, '', ''].join('\r\n'));
    socket.write(begun);
  }
  return sockets;
}

/** Delivers a push to the neighbor. Returns the status of the answer. */
async function deliver(pool: Pool): Promise<number> {
  const { owner, name } = neighbour.repository;
  const push = { ref: 'refs/heads/main', repository: { name, owner: { login: owner } } };
  const body = JSON.stringify(push);
  const headers = signature(body, webhookSecret);
  const path = `/webhooks/${neighbour.name}/forge`;
  const answer = await pool.request({ method: 'POST', path, headers, body });
  await answer.body.dump();
  return answer.statusCode;
}

needsEmbedded('the API server has to be slow', () => {
  test(
    'a flood of unsigned deliveries exhausts neither the lease nor the memory of the promoter',
    async () => {
      const url = new URL(fixture.fleet.webhookUrls.promoter);
      const [attackers, forge] = [new Pool(url.origin, { connections: clients }), new Pool(url.origin)];
      const stop = new AbortController();
      setMaxListeners(0, stop.signal);
      const before = await eventually(async () => {
        const lease = await leaseSpec();
        expect(lease.holder).not.toBe('');
        expect(await deliver(forge)).toBe(202);
        return lease;
      }, timeoutMs);
      const quietBytes = await residentBytes();
      embeddedOf(fixture).faults.inject({
        when: ({ info, user }) =>
          info.verb !== 'watch' && user?.username.startsWith('system:serviceaccount:') === true,
        latencyMs: 100,
      });

      const flooded = flood(attackers, stop.signal);
      const stalled = await stall(url);
      const times = new Set([before.renewedAt]);
      let peakBytes = quietBytes;
      try {
        await eventually(async () => {
          const { holder, renewedAt } = await leaseSpec();
          expect(holder).toBe(before.holder);
          times.add(renewedAt);
          peakBytes = Math.max(peakBytes, await residentBytes());
          expect(times.size).toBeGreaterThan(renewals);
        }, timeoutMs);
        await eventually(async () => expect(await deliver(forge)).toBe(202), timeoutMs);
      } finally {
        stop.abort();
        stalled.forEach((socket) => socket.destroy());
        await flooded;
        await Promise.all([attackers.destroy(), forge.destroy()]);
      }
      expect(fixture.fleet.processes.promoter.running).toBe(true);
      expect(peakBytes - quietBytes).toBeLessThan(160 * mebibyte);
    },
    2 * timeoutMs,
  );
});
