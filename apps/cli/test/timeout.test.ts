import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Files, runOffline } from './harness/files.js';

let files: Files;
let server: Server;
let kubeconfig: string;

/** Starts a server that accepts connections and answers nothing. */
beforeAll(async () => {
  files = await Files.start();
  server = createServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const config = {
    clusters: [{ name: 'one', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'me', user: {} }],
    contexts: [{ name: 'here', context: { cluster: 'one', user: 'me' } }],
    'current-context': 'here',
  };
  kubeconfig = await files.write('kubeconfig', JSON.stringify(config));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await files.close();
});

test('exits with the code for an API server that does not answer when the time limit is reached', async () => {
  const { code, stderr } = await runOffline([
    'gate',
    'get',
    'gates',
    '--kubeconfig',
    kubeconfig,
    '--timeout',
    '50ms',
  ]);
  expect({ code, stderr }).toEqual({ code: 4, stderr: '✗ no result within 50ms (--timeout)\n' });
});

test('accepts a time limit that is longer than the timers of Node.js support', async () => {
  const file = await files.write('away', (await files.read('kubeconfig')).replace(/:\d+"/, ':9"'));
  const { code, stderr } = await runOffline([
    'gate',
    'get',
    'gates',
    '--kubeconfig',
    file,
    '--timeout',
    '1000h',
  ]);
  expect(stderr).toContain('ECONNREFUSED');
  expect(code).toBe(4);
});
