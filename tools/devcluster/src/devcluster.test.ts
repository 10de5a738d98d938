import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDevCluster, type DevCluster } from './index.js';
import { TestClient } from './testing/client.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

let cluster: DevCluster;
let client: TestClient;

beforeAll(async () => {
  cluster = await startDevCluster();
  client = new TestClient(cluster);
});

afterAll(async () => {
  await client.close();
  await cluster.close();
});

function configMap(name: string, data: Record<string, string> = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

describe('restart', () => {
  it('keeps the state, the history and the port', async () => {
    const created = await client.call('POST', configMaps, { body: configMap('kept', { a: '1' }) });
    expect(created.status).toBe(201);
    const { resourceVersion } = created.body['metadata'] as { resourceVersion: string };
    await cluster.restart();
    await client.call('PATCH', `${configMaps}/kept`, {
      body: { data: { a: '2' } },
      contentType: 'application/merge-patch+json',
    });
    const events = await client.watch(
      `${configMaps}?watch=1&resourceVersion=${resourceVersion}`,
      (seen) => seen.length === 1,
    );
    expect(events.map(({ type, object }) => [type, object['data']])).toEqual([['MODIFIED', { a: '2' }]]);
  });
});

describe('compact', () => {
  it('makes an earlier watch fail with 410', async () => {
    const { body } = await client.call('POST', configMaps, { body: configMap('before') });
    const { resourceVersion } = body['metadata'] as { resourceVersion: string };
    await client.call('POST', configMaps, { body: configMap('after') });
    cluster.compact();
    const [event] = await client.watch(`${configMaps}?watch=1&resourceVersion=${resourceVersion}`);
    expect(event?.type).toBe('ERROR');
    expect(event?.object).toMatchObject({ code: 410, reason: 'Expired', status: 'Failure' });
  });
});

describe('faults', () => {
  it('respond with the injected status for the given number of requests', async () => {
    cluster.faults.inject({
      when: ({ info }) => info.resource?.plural === 'secrets',
      status: 429,
      retryAfterSeconds: 2,
      times: 1,
    });
    const first = await client.call('GET', '/api/v1/secrets');
    expect([first.status, first.headers['retry-after'], first.body['reason']]).toEqual([
      429,
      '2',
      'TooManyRequests',
    ]);
    expect((await client.call('GET', '/api/v1/secrets')).status).toBe(200);
  });

  it('drop connections before a response', async () => {
    const end = cluster.faults.inject({ when: ({ method }) => method === 'GET', cutAfterBytes: 0 });
    await expect(client.call('GET', '/api/v1/secrets')).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    end();
    expect((await client.call('GET', '/api/v1/secrets')).status).toBe(200);
  });

  it('drop connections after a request has taken effect', async () => {
    const seen: unknown[] = [];
    cluster.faults.inject({
      when: ({ method }) => method === 'POST',
      cutAfterEffect: true,
      onHit: async () => void seen.push((await client.call('GET', `${configMaps}/unanswered`)).status),
      times: 1,
    });
    const created = client.call('POST', configMaps, { body: configMap('unanswered') });
    await expect(created).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(seen).toEqual([200]);
  });

  it('cut running watches', async () => {
    const watching = client.watch(`${configMaps}?watch=1&labelSelector=none`);
    const failed = expect(watching).rejects.toBeDefined();
    const isWatch = ({ info }: { info: { verb: string } }): boolean => info.verb === 'watch';
    let cut = 0;
    while (cut === 0) {
      await client.call('GET', '/healthz');
      cut = cluster.faults.cut(isWatch);
    }
    await failed;
    expect(cut).toBe(1);
  });
});
