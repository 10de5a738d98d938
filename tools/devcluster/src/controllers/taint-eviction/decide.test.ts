import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { judge, type Verdict } from './decide.js';

const added = '2026-01-01T00:00:00Z';
const at = (second: number): number => Date.parse(added) + second * 1000;
const taint = (key: string): JsonObject => ({ key, effect: 'NoExecute', timeAdded: added });
const toleration = (key: string, tolerationSeconds?: number): JsonObject => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

function pod(tolerations: JsonObject[], scheduled = '2025-12-31T00:00:00Z'): KubeObject {
  const condition = { type: 'PodScheduled', status: 'True', lastTransitionTime: scheduled };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { tolerations },
    status: { conditions: [condition] },
  };
}

const deleted = pod([]);
deleted.metadata.deletionTimestamp = added;

describe('a pod on a node with NoExecute taints', () => {
  it.each<[string, KubeObject, JsonObject[], number, Verdict]>([
    ['stays without taints', pod([]), [], 0, { kind: 'keep' }],
    ['is evicted at once without a toleration', pod([]), [taint('a')], 0, { kind: 'evict' }],
    [
      'is evicted when it tolerates only one of two taints',
      pod([toleration('a')]),
      [taint('a'), taint('b')],
      0,
      { kind: 'evict' },
    ],
    ['stays with a toleration', pod([toleration('a')]), [taint('a')], 1e6, { kind: 'keep' }],
    [
      'stays for its toleration time',
      pod([toleration('a', 300)]),
      [taint('a')],
      100,
      { kind: 'wait', ms: 200_000 },
    ],
    [
      'is evicted after its toleration time',
      pod([toleration('a', 300)]),
      [taint('a')],
      300,
      { kind: 'evict' },
    ],
    [
      'stays for the shortest of its toleration times',
      pod([toleration('a', 300), toleration('b', 10), toleration('c')]),
      [taint('a'), taint('b'), taint('c')],
      0,
      { kind: 'wait', ms: 10_000 },
    ],
    [
      'is given its toleration time from its assignment to the node, if it was assigned after the taint',
      pod([toleration('a', 10)], '2026-01-01T00:00:05Z'),
      [taint('a')],
      5,
      { kind: 'wait', ms: 10_000 },
    ],
    [
      'is evicted at once with a toleration time of zero',
      pod([toleration('a', 0)]),
      [taint('a')],
      0,
      { kind: 'evict' },
    ],
    ['is not evicted when it is being deleted', deleted, [taint('a')], 0, { kind: 'keep' }],
  ])('%s', (_title, one, taints, second, verdict) => {
    expect(judge(one, taints, at(second))).toEqual(verdict);
  });
});
