import { describe, expect, it } from '@jest/globals';
import { qosClass } from './qos.js';

const container = (requests: object, limits: object = {}): object => ({
  name: 'c',
  resources: { requests, limits },
});
const all = { cpu: '1', memory: '1Ki' };

describe('qosClass', () => {
  it.each<[string, string, object]>([
    ['BestEffort', 'without requests and limits', { containers: [{ name: 'c' }] }],
    ['BestEffort', 'that requests nothing', { containers: [container({ cpu: '0' })] }],
    ['BestEffort', 'with other resources alone', { containers: [container({ 'ephemeral-storage': '1Gi' })] }],
    ['Burstable', 'with a request', { containers: [container({ cpu: '1' }), { name: 'd' }] }],
    ['Burstable', 'with a limit of one resource', { containers: [container({ cpu: '1' }, { cpu: '1' })] }],
    ['Burstable', 'with a request below its limit', { containers: [container({ cpu: '500m' }, all)] }],
    [
      'Guaranteed',
      'with equal requests and limits',
      { containers: [container({ ...all, memory: '1024' }, all)] },
    ],
    [
      'Guaranteed',
      'with equal requests and limits of all containers together',
      { containers: [{ name: 'c' }], resources: { requests: all, limits: all } },
    ],
    [
      'Burstable',
      'with an init container that does not set resources',
      { containers: [container(all, all)], initContainers: [{ name: 'i' }] },
    ],
  ])('returns %s for a pod %s', (expected, _, spec) => {
    expect(qosClass(spec)).toBe(expected);
  });
});
