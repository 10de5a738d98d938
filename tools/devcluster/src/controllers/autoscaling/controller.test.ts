import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';
import { objectsAt, textAt, valueAt } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { useCluster } from '../../testing/harness.js';

const metrics = new Metrics();
const api = useCluster({ metrics });

const autoscalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const gadgets = '/apis/test.dev/v1/namespaces/default/gadgets';

/** A kind whose objects only the autoscaler changes. */
const definition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.test.dev' },
  spec: {
    group: 'test.dev',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
      },
    ],
  },
};

function autoscaler(name: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: 'test.dev/v1', kind: 'Gadget', name },
      maxReplicas: 5,
      metrics: [
        {
          type: 'External',
          external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '10' } },
        },
      ],
      ...spec,
    },
  };
}

async function gadget(name: string, replicas: number): Promise<void> {
  const made = { apiVersion: 'test.dev/v1', kind: 'Gadget', metadata: { name }, spec: { replicas } };
  await api.create(gadgets, made);
  await api.patch(`${gadgets}/${name}/status`, { status: { replicas, selector: `app=${name}` } });
}

const replicasAre = (count: number) => (reply: { body: JsonObject }) =>
  valueAt(reply.body, 'spec', 'replicas') === count;

describe('The autoscaling controller', () => {
  it('scales a custom resource by a metric, within the range, and reports the scaling', async () => {
    await api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await gadget('web', 1);
    await api.create(autoscalers, autoscaler('web'));
    const unknown = await api.until(`${autoscalers}/web`, ({ body }) =>
      objectsAt(body, 'status', 'conditions').some(({ type }) => type === 'ScalingActive'),
    );
    expect(objectsAt(unknown.body, 'status', 'conditions')).toMatchObject([
      { type: 'AbleToScale', status: 'True', reason: 'SucceededGetScale' },
      { type: 'ScalingActive', status: 'False', reason: 'FailedGetExternalMetric' },
    ]);

    metrics.set('queue', '28', { namespace: 'default' });
    await api.until(`${gadgets}/web`, replicasAre(3));
    metrics.set('queue', '900', { namespace: 'default' });
    await api.patch(`${gadgets}/web/status`, { status: { replicas: 3 } });
    await api.until(`${gadgets}/web`, replicasAre(5));
    const scaled = await api.until(
      `${autoscalers}/web`,
      ({ body }) => valueAt(body, 'status', 'desiredReplicas') === 5,
    );
    expect(objectsAt(scaled.body, 'status', 'conditions')).toMatchObject([
      { type: 'AbleToScale', status: 'True' },
      { type: 'ScalingActive', status: 'True', reason: 'ValidMetricFound' },
      { type: 'ScalingLimited', status: 'True', reason: 'TooManyReplicas' },
    ]);
    const events = await api.until('/api/v1/namespaces/default/events', ({ body }) =>
      objectsAt(body, 'items').some((event) => textAt(event, 'message').startsWith('New size: 5')),
    );
    expect(objectsAt(events.body, 'items').map((event) => textAt(event, 'message'))).toContain(
      'New size: 5; reason: external metric queue(nil) above target',
    );
  });

  it('returns a scaled autoscaler in autoscaling/v1, with the other fields in annotations', async () => {
    const { body } = await api.get('/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/web');
    expect(body).toMatchObject({ apiVersion: 'autoscaling/v1', spec: { minReplicas: 1, maxReplicas: 5 } });
    expect(body['spec']).not.toHaveProperty('metrics');
    expect(Object.keys(valueAt(body, 'metadata', 'annotations') as JsonObject)).toEqual([
      'autoscaling.alpha.kubernetes.io/metrics',
      'autoscaling.alpha.kubernetes.io/current-metrics',
      'autoscaling.alpha.kubernetes.io/conditions',
    ]);
    const path = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/web';
    expect((await api.patch(path, { spec: { maxReplicas: 6 } })).status).toBe(200);
    const stored = await api.get(`${autoscalers}/web`);
    expect(stored.body).toMatchObject({
      metadata: { name: 'web' },
      spec: { maxReplicas: 6, metrics: [{ type: 'External' }] },
    });
    expect(stored.body['metadata']).not.toHaveProperty('annotations');
  });
});
