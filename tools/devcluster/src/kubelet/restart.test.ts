import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { startDevCluster, type DevCluster } from '../index.js';
import { objectsAt, textAt } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { TestClient } from '../testing/client.js';

const dataDir = mkdtempSync(join(tmpdir(), 'devcluster-nodes-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

const pods = '/api/v1/namespaces/default/pods';
const pod = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'app', image: 'x' }], ...spec },
});

async function withCluster(use: (cluster: DevCluster, client: TestClient) => Promise<void>): Promise<void> {
  const cluster = await startDevCluster({ dataDir, nodes: [{ name: 'a' }] });
  const client = new TestClient(cluster);
  await use(cluster, client);
  await client.close();
  await cluster.close();
}

it('continues with the stored nodes and pods after a restart', async () => {
  let before: JsonObject = {};
  await withCluster(async (cluster, client) => {
    await client.call('POST', pods, { body: pod('kept') });
    await cluster.pods.simulate({ namespace: 'default', name: 'kept' }, { type: 'run' });
    before = (await client.call('GET', `${pods}/kept`)).body;
    expect(textAt(before, 'status', 'phase')).toBe('Running');
    cluster.pods.addRule({ outcome: { type: 'hold' } });
    await client.call('POST', pods, { body: pod('held') });
    await cluster.pods.simulate(
      { namespace: 'default', name: 'held' },
      { type: 'hold', reason: 'ImagePullBackOff' },
    );
  });
  await withCluster(async (cluster, client) => {
    await cluster.pods.simulate({ namespace: 'default', name: 'held' }, { type: 'run' });
    expect((await client.call('GET', `${pods}/kept`)).body).toEqual(before);
    const { body } = await client.call('GET', '/api/v1/nodes');
    const conditions = objectsAt(body, 'items').flatMap((node) => objectsAt(node, 'status', 'conditions'));
    expect(conditions.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' });
  });
});
