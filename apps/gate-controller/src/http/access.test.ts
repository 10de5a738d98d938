import { expect, it } from '@jest/globals';
import type { Client } from '@interlock/kube';
import { GateAccess } from './access.js';

/** Returns an API server that accepts all tokens until they are revoked, and permits everything. */
function apiServer() {
  const server = { isRevoked: false, reviews: 0 };
  const raw = async ({ path }: Parameters<Client['raw']>[0]) => {
    server.reviews += 1;
    return path.endsWith('/tokenreviews')
      ? { status: { authenticated: !server.isRevoked, user: { username: 'ci' } } }
      : { status: { allowed: true } };
  };
  return { server, client: { raw } as unknown as Pick<Client, 'raw'> };
}

it('accepts a revoked token for ten seconds at most, whichever gates were read with it', async () => {
  const { server, client } = apiServer();
  let now = 1_000;
  const access = new GateAccess(client, () => now);
  const read = (gate: string) => access.check('token', 'shop', gate, AbortSignal.timeout(60_000));
  expect(await read('freeze')).toBe('allowed');
  server.isRevoked = true;
  now += 9_900;
  expect(await read('other')).toBe('allowed');
  expect(server.reviews).toBe(3);
  now += 200;
  expect(await read('other')).toBe('unauthenticated');
});

it('checks an accepted token again although clients with random tokens use all other requests', async () => {
  let now = 1_000;
  const raw = async ({ path, body }: Parameters<Client['raw']>[0]) => {
    if (!path.endsWith('/tokenreviews')) return { status: { allowed: true } };
    const { token } = (body as { spec: { token: string } }).spec;
    return token === 'token'
      ? { status: { authenticated: true, user: { username: 'ci' } } }
      : new Promise(() => undefined);
  };
  const access = new GateAccess({ raw } as unknown as Pick<Client, 'raw'>, () => now);
  const read = (token: string) => access.check(token, 'shop', 'freeze', AbortSignal.timeout(60_000));
  expect(await read('token')).toBe('allowed');
  now += 10_100;
  for (let count = 0; count < 16; count++) void read(`random-${count}`);
  expect(await read('random')).toBe('busy');
  expect(await read('token')).toBe('allowed');
});

it('does not forget accepted tokens because of random ones', async () => {
  const { server, client } = apiServer();
  const access = new GateAccess(client, () => 1_000);
  const read = (token: string) => access.check(token, 'shop', 'freeze', AbortSignal.timeout(60_000));
  expect(await read('token')).toBe('allowed');
  server.isRevoked = true;
  for (let count = 0; count < 1_100; count++) expect(await read(`random-${count}`)).toBe('unauthenticated');
  expect(await read('token')).toBe('allowed');
});
