import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../schema/types.js';
import { podRequests } from './resources.js';
import { pod } from './testing/objects.js';

const container = (cpu: string, fields: JsonObject = {}): JsonObject => ({
  name: 'c',
  image: 'x',
  resources: { requests: { cpu } },
  ...fields,
});
const sidecar = (cpu: string): JsonObject => container(cpu, { restartPolicy: 'Always' });

describe('podRequests', () => {
  it.each([
    ['adds the requests of the containers', { containers: [container('1'), container('250m')] }, 1250],
    [
      'uses the requests of an init container that requests more',
      { containers: [container('1')], initContainers: [container('3')] },
      3000,
    ],
    [
      'ignores an init container that requests less',
      { containers: [container('1')], initContainers: [container('1')] },
      1000,
    ],
    ['adds sidecars', { containers: [container('1')], initContainers: [sidecar('500m')] }, 1500],
    [
      'adds the sidecars that run while an init container does',
      { containers: [container('1')], initContainers: [sidecar('1'), container('2')] },
      3000,
    ],
    [
      'omits sidecars that start after an init container',
      { containers: [container('100m')], initContainers: [container('2'), sidecar('1')] },
      2000,
    ],
    ['adds the overhead', { containers: [container('1')], overhead: { cpu: '100m' } }, 1100],
    [
      'uses the requests of the pod itself',
      { containers: [container('1')], resources: { requests: { cpu: '5' } } },
      5000,
    ],
    ['rounds fractions up', { containers: [container('0.0001')] }, 1],
    ['returns exact sums', { containers: [container('0.1'), container('0.2'), container('1.1')] }, 1400],
  ])('%s', (_title, spec, cpu) => {
    expect(podRequests(pod('p', spec)).get('cpu')).toBe(cpu);
  });

  it('counts memory in bytes and other resources in units', () => {
    const requests = podRequests(pod('p', { requests: { memory: '1Gi', 'example.com/gpu': '2' } }));
    expect([...requests]).toEqual([
      ['memory', 2 ** 30],
      ['example.com/gpu', 2],
    ]);
  });
});
