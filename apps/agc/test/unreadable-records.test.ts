import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runnerAnnotations, runnerLabels } from '@interlock/api';
import { ConfigMap, Event, Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { Gateway, namespace } from './harness/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.start();
  gateway.startReplica('a');
  await gateway.createGroup('linux');
});
afterAll(() => gateway.close());

/** Returns the metadata of a record of the group. */
const metadataOf = (name: string, component: string) => ({
  ...{ name, namespace },
  labels: { [runnerLabels.component]: component, [runnerLabels.runnerGroup]: 'linux' },
});

it('reports the records of a later version, which it cannot read, as events that name them', async () => {
  const record = '{"version":2}';
  await gateway.client.create(Secret, {
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: { ...metadataOf('job-later', 'job'), annotations: { [runnerAnnotations.jobRecord]: record } },
  });
  await gateway.client.create(ConfigMap, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { 'rerun.json': record } },
    metadata: metadataOf('rerun-later', 'rerun'),
  });
  await eventually(async () => {
    const { items } = await gateway.client.list(Event, { namespace });
    const found = items.filter(({ reason }) => reason === 'InvalidRecord');
    expect(found.map(({ regarding }) => regarding?.name).sort()).toEqual(['job-later', 'rerun-later']);
    for (const { note } of found) expect(note).toContain('cannot be read');
  });
});
