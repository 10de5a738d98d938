import { describe, expect, it } from '@jest/globals';
import { objectsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { limitProblems } from './constraints.js';
import { applyLimitDefaults } from './defaults.js';

function pod(...resources: JsonObject[]): KubeObject {
  const containers = resources.map((one, index) => ({ name: `c${index}`, resources: one }));
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } };
}

const both = (cpu: string): JsonObject => ({ requests: { cpu }, limits: { cpu } });

describe('limitProblems', () => {
  it.each<[string, JsonObject, KubeObject, string[]]>([
    [
      'a pod that uses enough',
      { type: 'Container', min: { cpu: '100m' }, max: { cpu: '1' } },
      pod(both('1')),
      [],
    ],
    [
      'a pod that uses too little',
      { type: 'Container', min: { cpu: '100m', memory: '1Gi' } },
      pod(both('50m')),
      [
        'minimum cpu usage per Container is 100m, but request is 50m',
        'minimum memory usage per Container is 1Gi.  No request is specified',
      ],
    ],
    [
      'a limit that is too low',
      { type: 'Container', min: { cpu: '100m' } },
      pod({ requests: { cpu: '200m' }, limits: { cpu: '50m' } }),
      ['minimum cpu usage per Container is 100m, but limit is 50m'],
    ],
    [
      'a pod that uses too much',
      { type: 'Container', max: { cpu: '1' } },
      pod(both('1500m'), {}),
      [
        'maximum cpu usage per Container is 1, but limit is 1500m',
        'maximum cpu usage per Container is 1.  No limit is specified',
      ],
    ],
    [
      'a pod whose containers use too much in total',
      { type: 'Pod', max: { cpu: '1' } },
      pod(both('600m'), both('600m')),
      ['maximum cpu usage per Pod is 1, but limit is 1200m'],
    ],
    [
      'a limit too far above its request',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      pod({ requests: { cpu: '300m' }, limits: { cpu: '1' } }),
      ['cpu max limit to request ratio per Container is 2, but provided ratio is 3.333333'],
    ],
    [
      'a missing request for a ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      pod({ limits: { cpu: '1' } }),
      ['cpu max limit to request ratio per Container is 2, but no request is specified or request is 0'],
    ],
    [
      'a missing limit for a ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      pod({ requests: { cpu: '1' } }),
      ['cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0'],
    ],
    [
      'a limit at exactly the ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2.5' } },
      pod({ requests: { cpu: '400m' }, limits: { cpu: '1' } }),
      [],
    ],
    ['limits of claims', { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }, pod({}), []],
  ])('returns the problems of %s', (_, limit, object, expected) => {
    expect(limitProblems(object, [limit])).toEqual(expected);
  });
});

describe('applyLimitDefaults', () => {
  const limits = [
    { type: 'Pod', max: { cpu: '4' } },
    { type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '500m' } },
  ];

  it('sets missing fields of containers and init containers, and lists these fields in an annotation', () => {
    const object = pod({}, { limits: { cpu: '2' }, requests: { cpu: '2' } });
    object['spec'] = { ...(object['spec'] as JsonObject), initContainers: [{ name: 'i' }] };
    applyLimitDefaults(object, limits);
    const resources = (list: string): unknown[] =>
      objectsAt(object, 'spec', list).map((one) => one['resources']);
    const complete = { requests: { cpu: '500m' }, limits: { cpu: '1', memory: '1Gi' } };
    expect(resources('containers')).toEqual([
      complete,
      { requests: { cpu: '2' }, limits: { cpu: '2', memory: '1Gi' } },
    ]);
    expect(resources('initContainers')).toEqual([complete]);
    expect(object.metadata.annotations?.['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: cpu request for container c0; cpu, memory limit for container c0; memory limit for container c1; cpu request for init container i; cpu, memory limit for init container i',
    );
  });

  it('does not change a pod that specifies everything', () => {
    const object = pod({ requests: { cpu: '1' }, limits: { cpu: '1', memory: '1Gi' } });
    const before = structuredClone(object);
    applyLimitDefaults(object, limits);
    expect(object).toEqual(before);
  });
});
