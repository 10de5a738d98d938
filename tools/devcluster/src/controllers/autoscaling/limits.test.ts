import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { limit, withChange, type Memory } from './limits.js';

const now = 10_000_000;

function autoscaler(spec: JsonObject): KubeObject {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { minReplicas: 2, maxReplicas: 20, ...spec },
  };
}

const memory = (recommendations: [number, number][] = [], changes: Memory['changes'] = []): Memory => ({
  recommendations: new Map(recommendations.map(([replicas, age]) => [replicas, now - age * 1000])),
  changes: changes.map(({ by, at }) => ({ by, at: now - at * 1000 })),
});

interface Case {
  current: number;
  desired: number;
  spec?: JsonObject;
  past?: Memory;
}

const policies = (direction: string, rules: JsonObject): JsonObject => ({ behavior: { [direction]: rules } });

describe('The limits of an autoscaler', () => {
  it.each<[string, Case, number, string, string]>([
    [
      'do not change a number in the range',
      { current: 4, desired: 6 },
      6,
      'ReadyForNewScale',
      'DesiredWithinRange',
    ],
    ['increase a number to the minimum', { current: 4, desired: 1 }, 2, 'ReadyForNewScale', 'TooFewReplicas'],
    [
      'reduce a number to the maximum',
      { current: 12, desired: 22 },
      20,
      'ReadyForNewScale',
      'TooManyReplicas',
    ],
    ['allow at most twice the number', { current: 4, desired: 9 }, 8, 'ReadyForNewScale', 'ScaleUpLimit'],
    [
      'allow four replicas in place of one',
      { current: 1, desired: 9 },
      4,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'delay a lower number for five minutes',
      { current: 8, desired: 3, past: memory([[7, 299]]) },
      7,
      'ScaleDownStabilized',
      'DesiredWithinRange',
    ],
    [
      'allow a lower number after five minutes',
      { current: 8, desired: 3, past: memory([[7, 301]]) },
      3,
      'ReadyForNewScale',
      'DesiredWithinRange',
    ],
    [
      'delay a higher number for the window of scaling up',
      {
        current: 4,
        desired: 8,
        past: memory([[5, 30]]),
        spec: policies('scaleUp', { stabilizationWindowSeconds: 60 }),
      },
      5,
      'ScaleUpStabilized',
      'DesiredWithinRange',
    ],
    [
      'allow a lower number at once without a window',
      {
        current: 8,
        desired: 3,
        past: memory([[7, 10]]),
        spec: policies('scaleDown', { stabilizationWindowSeconds: 0 }),
      },
      3,
      'ReadyForNewScale',
      'DesiredWithinRange',
    ],
    [
      'add no more pods in a period than a policy allows',
      {
        current: 5,
        desired: 12,
        past: memory([], [{ by: 1, at: 10 }]),
        spec: policies('scaleUp', { policies: [{ type: 'Pods', value: 3, periodSeconds: 60 }] }),
      },
      7,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'allow the greatest change of several policies',
      {
        current: 10,
        desired: 19,
        spec: policies('scaleUp', {
          policies: [
            { type: 'Pods', value: 1, periodSeconds: 60 },
            { type: 'Percent', value: 50, periodSeconds: 60 },
          ],
        }),
      },
      15,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'allow the least change with the policy Min',
      {
        current: 10,
        desired: 19,
        spec: policies('scaleUp', {
          selectPolicy: 'Min',
          policies: [
            { type: 'Pods', value: 1, periodSeconds: 60 },
            { type: 'Percent', value: 50, periodSeconds: 60 },
          ],
        }),
      },
      11,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'remove no more than a share in a period',
      {
        current: 10,
        desired: 2,
        spec: policies('scaleDown', {
          stabilizationWindowSeconds: 0,
          policies: [{ type: 'Percent', value: 10, periodSeconds: 60 }],
        }),
      },
      9,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
    [
      'change nothing in a direction that is disabled',
      {
        current: 10,
        desired: 2,
        spec: policies('scaleDown', { stabilizationWindowSeconds: 0, selectPolicy: 'Disabled' }),
      },
      10,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
  ])('%s', (_, { current, desired, spec = {}, past = memory() }, replicas, able, limited) => {
    const result = limit(desired, past, { autoscaler: autoscaler(spec), current, now });
    expect(result.replicas).toBe(replicas);
    expect(result.conditions.map(({ reason }) => reason)).toEqual([able, limited]);
    expect(result.isHeld).toBe(able !== 'ReadyForNewScale' || limited.endsWith('Limit'));
  });

  it('keep their history for the longest window or policy', () => {
    const past = memory(
      [
        [9, 400],
        [8, 100],
      ],
      [
        { by: 1, at: 2000 },
        { by: 2, at: 100 },
      ],
    );
    const { memory: kept } = limit(3, past, { autoscaler: autoscaler({}), current: 8, now });
    expect([...kept.recommendations.keys()]).toEqual([8, 3]);
    expect(withChange(kept, -5, now).changes.map(({ by }) => by)).toEqual([2, -5]);
  });
});
