import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { concernsEndpoints } from './pod-endpoint.js';

const ready = { type: 'Ready', status: 'True' };
const running = { phase: 'Running', podIP: '10.0.0.1', conditions: [ready] };

function pod(status: JsonObject = running, metadata: JsonObject = {}, spec: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', labels: { app: 'a' }, ...metadata },
    spec: { nodeName: 'n', ...spec },
    status,
  };
}

describe('concernsEndpoints', () => {
  it.each<[string, boolean, KubeObject | undefined, KubeObject | undefined]>([
    ['a new pod without an address', false, undefined, pod({ phase: 'Pending' })],
    ['the assignment of a node', false, pod({}, {}, { nodeName: '' }), pod({})],
    ['a first address', true, pod({ phase: 'Pending' }), pod()],
    ['another address', true, pod(), pod({ ...running, podIP: '10.0.0.2' })],
    ['the loss of readiness', true, pod(), pod({ ...running, conditions: [{ ...ready, status: 'False' }] })],
    ['another condition', false, pod(), pod({ ...running, conditions: [ready, { type: 'X' }] })],
    ['another label', true, pod(), pod(running, { labels: { app: 'b' } })],
    ['an annotation', false, pod(), pod(running, { annotations: { a: 'b' } })],
    ['the start of a deletion', true, pod(), pod(running, { deletionTimestamp: '2030-01-01T00:00:00Z' })],
    ['the end of a pod', true, pod(), pod({ ...running, phase: 'Failed' })],
    ['the deletion of a pod that runs', true, pod(), undefined],
    ['the deletion of a pod that has ended', false, pod({ ...running, phase: 'Failed' }), undefined],
    ['a host name', true, pod(), pod(running, {}, { hostname: 'web' })],
  ])('returns for %s whether it concerns endpoints: %s', (_title, expected, before, after) => {
    expect(concernsEndpoints(before, after)).toBe(expected);
  });
});
