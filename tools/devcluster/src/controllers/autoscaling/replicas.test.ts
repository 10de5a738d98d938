import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { propose } from './replicas.js';

interface PodOptions {
  ready?: boolean;
  request?: string;
}

function pod(name: string, { ready = true, request = '100m' }: PodOptions = {}): KubeObject {
  const resources = request === '' ? {} : { requests: { cpu: request, memory: '64Mi' } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'app', resources }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

const cpu = (target: JsonObject): JsonObject => ({ type: 'Resource', resource: { name: 'cpu', target } });
const half: JsonObject = cpu({ type: 'Utilization', averageUtilization: 50 });

interface Case {
  metric: JsonObject;
  pods: KubeObject[];
  /** Values by metric, or by metric and pod. */
  values: Record<string, number>;
  replicas?: number;
}

function run({ metric, pods, values, replicas = pods.length }: Case): ReturnType<typeof propose> {
  return propose(metric, {
    pods,
    replicas,
    metricOf: (name, one) => (one === undefined ? undefined : values[`${name}/${one}`]) ?? values[name],
    tolerance: { up: 0.1, down: 0.1 },
  });
}

const two = [pod('a'), pod('b')];

describe('The replicas that a metric requires', () => {
  it.each<[string, Case, number, string, JsonObject]>([
    [
      'depend on the utilization of the requests',
      { metric: half, pods: two, values: { cpu: 0.1 } },
      4,
      'cpu resource utilization (percentage of request)',
      { averageUtilization: 100, averageValue: '100m' },
    ],
    [
      'stay within a tenth of the target',
      { metric: half, pods: two, values: { cpu: 0.055 } },
      2,
      'cpu resource utilization (percentage of request)',
      { averageUtilization: 55, averageValue: '55m' },
    ],
    [
      'decrease below the target',
      { metric: half, pods: two, values: { cpu: 0.01 } },
      1,
      'cpu resource utilization (percentage of request)',
      { averageUtilization: 10, averageValue: '10m' },
    ],
    [
      'depend on an average value',
      { metric: cpu({ type: 'AverageValue', averageValue: '50m' }), pods: two, values: { cpu: 0.15 } },
      6,
      'cpu resource',
      { averageValue: '150m' },
    ],
    [
      'treat a pod that is not ready as idle when they increase',
      { metric: half, pods: [...two, pod('c', { ready: false })], values: { cpu: 0.1 } },
      4,
      'cpu resource utilization (percentage of request)',
      { averageUtilization: 100, averageValue: '100m' },
    ],
    [
      'ignore a pod that is not ready when they decrease',
      { metric: half, pods: [...two, pod('c', { ready: false })], values: { cpu: 0.02 } },
      1,
      'cpu resource utilization (percentage of request)',
      { averageUtilization: 20, averageValue: '20m' },
    ],
    [
      'treat a pod without a value as fully used when they decrease',
      { metric: half, pods: two, values: { 'cpu/a': 0.02 } },
      2,
      'cpu resource utilization (percentage of request)',
      { averageUtilization: 20, averageValue: '20m' },
    ],
  ])('%s', (_, given, replicas, name, current) => {
    expect(run(given)).toMatchObject({
      replicas,
      name,
      status: { type: 'Resource', resource: { name: 'cpu', current } },
    });
  });

  const hits = { name: 'hits' };
  const queue = { describedObject: { kind: 'Service', name: 'web' }, metric: hits };
  it.each<[string, JsonObject, number, JsonObject]>([
    [
      'the average over the pods',
      { type: 'Pods', pods: { metric: hits, target: { type: 'AverageValue', averageValue: '5' } } },
      4,
      { pods: { metric: hits, current: { averageValue: '10' } } },
    ],
    [
      'the value of an object',
      { type: 'Object', object: { ...queue, target: { type: 'Value', value: '2' } } },
      10,
      { object: { ...queue, current: { value: '10' } } },
    ],
    [
      'the value of an object for each pod',
      { type: 'Object', object: { ...queue, target: { type: 'AverageValue', averageValue: '2' } } },
      5,
      { object: { ...queue, current: { averageValue: '5' } } },
    ],
    [
      'an external value',
      { type: 'External', external: { metric: hits, target: { type: 'Value', value: '5' } } },
      4,
      { external: { metric: hits, current: { value: '10' } } },
    ],
  ])('depend on %s', (_, metric, replicas, status) => {
    expect(run({ metric, pods: two, values: { hits: 10 } })).toMatchObject({ replicas, status });
  });

  it.each<[string, Case, string, string]>([
    [
      'are not known without metrics',
      { metric: half, pods: two, values: {} },
      'FailedGetResourceMetric',
      'failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
    ],
    [
      'are not known for pods without requests',
      { metric: half, pods: [pod('a', { request: '' })], values: { cpu: 1 } },
      'FailedGetResourceMetric',
      'failed to get cpu utilization: missing request for cpu in container app of Pod a',
    ],
    [
      'are not known while no pod is ready',
      { metric: half, pods: [pod('a', { ready: false })], values: { cpu: 1 } },
      'FailedGetResourceMetric',
      'failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)',
    ],
    [
      'are not known for an unknown type',
      { metric: { type: 'Guess' }, pods: two, values: {} },
      'InvalidMetricSourceType',
      'unknown metric source type "Guess"',
    ],
  ])('%s', (_, given, reason, problem) => {
    expect(run(given)).toEqual({ reason, problem });
  });
});
