import { expect, it } from '@jest/globals';
import { RunnerGroup, type Condition, type KubeObject } from '@interlock/api';
import { Deployment, HorizontalPodAutoscaler } from '@interlock/kube';
import { concernsGateway } from './relevance.js';

const metadata = { name: 'x', resourceVersion: '1', finalizers: ['a'] };
const of = ({ kind }: { kind: string }, changes: object): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata, ...changes }) as KubeObject;
const passes = (kind: { kind: string }, before: object, after: object): boolean =>
  concernsGateway({ type: 'updated', old: of(kind, before), object: of(kind, after) });
const status = (fields: object) => ({ status: fields });
const condition = (type: string, status: Condition['status']) => ({
  conditions: [{ type, status, message: 'it is' }],
});
const written = { metadata: { ...metadata, resourceVersion: '2', managedFields: [{ manager: 'x' }] } };

it.each<[string, { kind: string }, object, object]>([
  ['current metrics of an autoscaler', HorizontalPodAutoscaler, {}, { ...written, ...status({ a: 1 }) }],
  ['jobs of a RunnerGroup', RunnerGroup, status({ activeJobs: 1 }), { ...written, ...status({}) }],
  ['Ready of a RunnerGroup', RunnerGroup, status({}), status(condition('Ready', 'True'))],
  [
    'updated pods of a Deployment',
    Deployment,
    status({ replicas: 3, updatedReplicas: 1 }),
    status({ replicas: 3, updatedReplicas: 2 }),
  ],
])('does not reconcile a gateway for %s', (_, kind, before, after) => {
  expect(passes(kind, before, after)).toBe(false);
});

it.each<[string, { kind: string }, object, object]>([
  ['the spec of any object', HorizontalPodAutoscaler, { spec: { a: 1 } }, { spec: { a: 2 } }],
  ['finalizers', RunnerGroup, {}, { metadata: { ...metadata, finalizers: [] } }],
  ['sessions', RunnerGroup, status({ activeSessions: 1 }), status({ activeSessions: 2 })],
  ['a problem of a RunnerGroup', RunnerGroup, status({}), status(condition('Degraded', 'True'))],
  ['ready pods', Deployment, status({ readyReplicas: 1 }), status({ readyReplicas: 2 })],
  [
    'the end of a rollout',
    Deployment,
    status({ replicas: 2, updatedReplicas: 1 }),
    status({ replicas: 2, updatedReplicas: 2 }),
  ],
  ['refused pods', Deployment, status({}), status(condition('ReplicaFailure', 'True'))],
])('reconciles a gateway for %s', (_, kind, before, after) => {
  expect(passes(kind, before, after)).toBe(true);
});
