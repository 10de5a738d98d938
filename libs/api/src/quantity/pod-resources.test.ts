import { describe, expect, it } from '@jest/globals';
import { hasPodLevelResources, podLimits, podRequests } from './pod-resources.js';
import { listToText } from './resource-list.js';

const container = (cpu: string, fields: object = {}): object => ({
  resources: { requests: { cpu }, limits: { cpu } },
  ...fields,
});
const sidecar = { restartPolicy: 'Always' };

describe('the resources of a pod', () => {
  it.each<[string, object, string]>([
    ['nothing for a pod without containers', {}, ''],
    ['the sum of the containers', { containers: [container('1'), container('500m')] }, 'cpu=1500m'],
    [
      'an init container that needs more than the containers',
      { containers: [container('1')], initContainers: [container('3')] },
      'cpu=3',
    ],
    [
      'sidecars like containers',
      { containers: [container('1')], initContainers: [container('1', sidecar)] },
      'cpu=2',
    ],
    [
      'an init container together with the sidecars that started before it',
      { containers: [container('1')], initContainers: [container('1', sidecar), container('2')] },
      'cpu=3',
    ],
    [
      'the resources of the pod as a whole, if they are set',
      {
        containers: [container('1')],
        resources: { requests: { cpu: '4', 'example.com/gpu': '1' }, limits: { cpu: '4' } },
      },
      'cpu=4',
    ],
  ])('include %s', (_, spec, expected) => {
    expect(listToText(podRequests(spec, { overhead: false }))).toBe(expected);
    expect(listToText(podLimits(spec, { overhead: false }))).toBe(expected);
  });

  it('include the overhead in all requests, and in the limits that are set', () => {
    const spec = { containers: [container('1')], overhead: { cpu: '100m', memory: '64Mi' } };
    expect(listToText(podRequests(spec, { overhead: true }))).toBe('cpu=1100m,memory=64Mi');
    expect(listToText(podLimits(spec, { overhead: true }))).toBe('cpu=1100m');
  });

  it('may be set for the pod as a whole', () => {
    expect(hasPodLevelResources({ resources: { limits: { memory: '1Gi' } } })).toBe(true);
    expect(hasPodLevelResources({ containers: [container('1')] })).toBe(false);
  });
});
