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
