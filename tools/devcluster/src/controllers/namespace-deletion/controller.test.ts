import { expect, it } from '@jest/globals';
import { configMap, metadataOf, useCluster } from '../../testing/harness.js';

const api = useCluster({ namespaceGraceMs: 3_600_000 });

it('does not change a deleted namespace during its grace period', async () => {
  await api.create('/api/v1/namespaces', { metadata: { name: 'going' } });
  const path = '/api/v1/namespaces/going';
  await api.create(`${path}/configmaps`, configMap('kept'));
  const deleted = await api.remove(path);
  expect(deleted).toMatchObject({
    status: 200,
    body: { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } },
  });
  const refused = await api.create(`${path}/configmaps`, configMap('late'));
  expect(refused).toMatchObject({
    status: 403,
    body: { details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] } },
  });
  /* A change in the namespace does not end the grace. */
  expect((await api.patch(`${path}/configmaps/kept`, { data: { a: '1' } })).status).toBe(200);
  const read = await api.get(path);
  expect(read.body).toEqual(deleted.body);
  expect(metadataOf(read)).not.toHaveProperty('deletionGracePeriodSeconds');
});
