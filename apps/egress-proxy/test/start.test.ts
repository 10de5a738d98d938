import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { handlesEngine } from '../src/relay/handles/handles-engine.js';
import { socketsEngine } from '../src/relay/sockets/sockets-engine.js';
import { tlsFlags, useProxies } from './harness/proxies.js';

const proxies = useProxies();

describe.each([socketsEngine, handlesEngine()])('a proxy that cannot start with $name', (engine) => {
  let folder: string;
  let other: Server;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'interlock-proxy-'));
    await writeFile(join(folder, 'file'), 'no certificate');
    other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
  });
  afterAll(async () => {
    other.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['--bind-address', 'EADDRINUSE', 'choose an address', () => [`--bind-address=${taken(other)}`]],
    [
      '--health-probe-bind-address',
      'EADDRINUSE',
      'choose an address',
      () => [`--health-probe-bind-address=${taken(other)}`],
    ],
    ['--bind-address', 'EADDRNOTAVAIL', 'choose an address', () => ['--bind-address=192.0.2.1:0']],
    ['--tls-cert-file', 'ENOENT', 'mount it', () => tlsFlags(join(folder, 'missing'))],
    [
      '--tls-cert-file, --tls-key-file',
      'EISDIR',
      'mount it',
      () => [`--tls-cert-file=${join(folder, 'file')}`, `--tls-key-file=${folder}`],
    ],
  ])('names the flag %s, the problem %s and the fix "%s"', async (flag, problem, fix, flags) => {
    const start = proxies.start(flags(), { engine });
    await expect(start).rejects.toThrow(
      expect.objectContaining({
        name: 'UsageError',
        message: expect.stringMatching(new RegExp(`^${flag}\\b.* cannot be used: .*${problem}.*; ${fix}`)),
      }),
    );
  });
});

function taken(server: Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
