import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Lease } from '@interlock/kube';
import { bundleDemo, TestProcess, type Bundle } from './testing/process.js';

let bundle: Bundle;
let folder: string;
let server: Server;
let lease: Lease | undefined;

async function bodyOf(request: IncomingMessage): Promise<Lease> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Lease;
}

beforeAll(async () => {
  bundle = await bundleDemo('demo-controllers.ts');
  folder = await mkdtemp(join(tmpdir(), 'controllers-'));
  server = createServer((request, response) => {
    void (async () => {
      if (request.method !== 'GET') lease = await bodyOf(request);
      response.writeHead(lease === undefined ? 404 : 200).end(JSON.stringify(lease ?? {}));
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  bundle.remove();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

test('controllers release their lease within the grace period although their work does not end', async () => {
  const kubeconfig = join(folder, 'kubeconfig');
  const cluster = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const content = {
    clusters: [{ name: 'c', cluster }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: '' } }],
    'current-context': 'x',
  };
  await writeFile(kubeconfig, JSON.stringify(content));
  const addresses = ['--metrics-bind-address=0', '--health-probe-bind-address=0'];
  const stuck = new TestProcess(bundle.program, [
    ...addresses,
    `--kubeconfig=${kubeconfig}`,
    '--grace-period=3s',
  ]);
  await stuck.line(({ msg }) => msg === 'leading');
  expect(lease?.spec?.holderIdentity).not.toBe('');
  stuck.kill('SIGTERM');
  expect(await stuck.exit).toBe(1);
  expect(lease?.spec?.holderIdentity).toBe('');
});
