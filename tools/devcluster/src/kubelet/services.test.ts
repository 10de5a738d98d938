import { describe, expect, it } from '@jest/globals';
import { useCluster } from '../testing/harness.js';
import { createPod, logOf, nodeName, pod, testImages, untilStatus } from '../testing/pods.js';

const hosts = { 'github.example.com': '127.0.0.2' };
const api = useCluster({ kubelets: [{ nodeName }], images: testImages, hosts });

const server = `require('node:http').createServer((request, response) => response.setHeader('client', request.socket.remoteAddress).end(process.env.HOSTNAME)).listen(8080);`;
/* Each request uses a new connection, because a kept connection always goes to the same pod. */
const client = `
  const { get } = require('node:http');
  const textOf = (url) => new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => response.once('data', (chunk) => resolve(String(chunk)))).on('error', reject);
  });
  (async () => {
    const seen = new Set();
    while (seen.size < 2) seen.add(await textOf('http://web.default.svc/'));
    const short = await fetch('http://web/');
    console.log([...seen].sort().join(), seen.has(await short.text()), short.headers.get('client'));
  })();`;

describe('a Service', () => {
  it('routes Node.js processes by its name to the ready pods, which can use the same port and see the address of the client', async () => {
    const ports = [{ name: 'http', containerPort: 8080 }];
    const readinessProbe = { httpGet: { port: 'http' }, periodSeconds: 1 };
    const container = { name: 'c', image: 'test/node:1', args: [server], ports, readinessProbe };
    await api.create('/api/v1/namespaces/default/services', {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
    });
    const names = ['web-0', 'web-1'];
    for (const name of names) await createPod(api, pod(name, [container], {}, { labels: { app: 'web' } }));
    for (const name of names)
      await untilStatus(api, name, ({ containerStatuses }) => isReady(containerStatuses));
    await createPod(
      api,
      pod('client', [{ name: 'c', image: 'test/node:1', args: [client] }], { restartPolicy: 'Never' }),
    );
    const { body } = await untilStatus(
      api,
      'client',
      ({ phase }) => phase === 'Succeeded' || phase === 'Failed',
    );
    const { podIP } = body['status'] as { podIP: string };
    expect(await logOf(api, 'client')).toBe(`web-0,web-1 true ${podIP}\n`);
  });
});

describe('a host that the cluster resolves', () => {
  it('is resolved by all lookup functions of Node.js processes', async () => {
    const script = `
      import { lookup } from 'node:dns/promises';
      import { lookup as lookupLater } from 'node:dns';
      const name = 'github.example.com';
      const [{ address }] = await lookup(name, { all: true });
      const later = await new Promise((resolve) => lookupLater(name, (_, found) => resolve(found)));
      console.log(address, later, (await lookup('127.0.0.9')).address);`;
    const container = {
      name: 'c',
      image: 'test/node:1',
      command: [process.execPath, '--input-type=module', '--eval'],
      args: [script],
    };
    await createPod(api, pod('resolver', [container], { restartPolicy: 'Never' }));
    await untilStatus(api, 'resolver', ({ phase }) => phase === 'Succeeded' || phase === 'Failed');
    expect(await logOf(api, 'resolver')).toBe('127.0.0.2 127.0.0.2 127.0.0.9\n');
  });
});

function isReady(statuses: unknown): boolean {
  return (statuses as { ready: boolean }[] | undefined)?.[0]?.ready === true;
}
