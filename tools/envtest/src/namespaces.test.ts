import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createClient, type Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { removeDeletedNamespaces } from './namespaces.js';

/** The content of a namespace, by path of the collection. An object with a finalizer remains after its deletion. */
type Content = Record<string, { finalizers: string[] }[]>;

const verbs = ['list', 'deletecollection'];
const resources: Record<string, unknown> = {
  '/apis': { groups: [{ preferredVersion: { groupVersion: 'example.com/v1' } }] },
  '/api/v1': {
    resources: [
      { name: 'configmaps', namespaced: true, verbs },
      { name: 'configmaps/status', namespaced: true, verbs },
      { name: 'bindings', namespaced: true, verbs: ['create'] },
      { name: 'nodes', namespaced: false, verbs },
    ],
  },
  '/apis/example.com/v1': { resources: [{ name: 'gizmos', namespaced: true, verbs }] },
};
const configMaps = '/api/v1/namespaces/gone/configmaps';
const gizmos = '/apis/example.com/v1/namespaces/gone/gizmos';

let server: Server;
let client: Client;
let namespaces: { metadata: object; spec: object }[];
let content: Content;
let unknown: string[];

/* An API server without controllers, which deletes only the object of the request. */
function answer(method: string, path: string): unknown {
  if (path in resources) return resources[path];
  const items = content[path];
  if (items === undefined) {
    if (path === '/api/v1/namespaces') return { metadata: { resourceVersion: '1' }, items: namespaces };
    if (path === '/api/v1/namespaces/gone') return namespaces[0];
    if (path === '/api/v1/namespaces/gone/finalize') return namespaces.shift();
    unknown.push(`${method} ${path}`);
    return {};
  }
  if (method === 'DELETE') content[path] = items.filter(({ finalizers }) => finalizers.length > 0);
  return { items: content[path] };
}

beforeEach(async () => {
  unknown = [];
  namespaces = ['gone', 'kept'].map((name) => ({
    metadata: { name, ...(name === 'gone' && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    spec: { finalizers: ['kubernetes'] },
  }));
  content = {
    [configMaps]: [{ finalizers: [] }, { finalizers: [] }],
    [gizmos]: [{ finalizers: ['example.com/hold'] }],
  };
  server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(request.method ?? '', path)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cluster = { name: 'fake', cluster: { server: `http://127.0.0.1:${port}` } };
  const contexts = [{ name: 'fake', context: { cluster: 'fake', user: 'fake' } }];
  const kubeConfig = {
    clusters: [cluster],
    users: [{ name: 'fake', user: {} }],
    contexts,
    'current-context': 'fake',
  };
  client = createClient({ kubeConfig, userAgent: 'test', defaultFieldManager: 'test' });
});
afterEach(async () => {
  await client.close();
  server.close();
});

it('removes a deleted namespace when it is empty, and no other namespace', async () => {
  const stopping = new AbortController();
  const problems: string[] = [];
  const running = removeDeletedNamespaces(client, stopping.signal, (problem) => problems.push(problem));
  try {
    await eventually(() => expect(content[configMaps]).toEqual([]), 20_000);
    expect(namespaces).toHaveLength(2);
    content[gizmos] = [{ finalizers: [] }];
    await eventually(() => expect(namespaces).toMatchObject([{ metadata: { name: 'kept' } }]), 20_000);
  } finally {
    stopping.abort();
    await running;
    expect([...problems, ...unknown]).toEqual([]);
  }
});
