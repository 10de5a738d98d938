import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { decideNode, graceMs } from './decide.js';

const now = '2026-01-01T00:01:00Z';
const before = '2026-01-01T00:00:00Z';

function node(ready: string | undefined, spec: JsonObject = {}): KubeObject {
  const condition = (type: string, status: string): JsonObject => ({
    type,
    status,
    reason: 'R',
    message: 'm',
    lastHeartbeatTime: before,
    lastTransitionTime: before,
  });
  const conditions =
    ready === undefined
      ? []
      : [
          condition('MemoryPressure', 'False'),
          condition('DiskPressure', 'False'),
          condition('PIDPressure', 'False'),
          condition('Ready', ready),
        ];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', creationTimestamp: before },
    spec,
    status: conditions.length === 0 ? {} : { conditions },
  };
}

const own = (key: string, effect: string, timeAdded = now): JsonObject => ({
  key: `node.kubernetes.io/${key}`,
  effect,
  timeAdded,
});
const foreign = { key: 'dedicated', value: 'ci', effect: 'NoExecute' };

describe('the taints of a node', () => {
  it.each<[string, KubeObject, number, JsonObject[]]>([
    ['are empty while the node is ready', node('True'), 0, []],
    [
      'no longer include the taint from admission once the node is ready',
      node('True', { taints: [own('not-ready', 'NoSchedule')] }),
      0,
      [],
    ],
    [
      'include the taint from admission until the node reports its status',
      node(undefined, { taints: [own('not-ready', 'NoSchedule')] }),
      0,
      [own('not-ready', 'NoSchedule')],
    ],
    [
      'state that the node is not ready',
      node('False'),
      0,
      [own('not-ready', 'NoSchedule'), own('not-ready', 'NoExecute')],
    ],
    [
      'state that the node cannot be reached',
      node('True'),
      graceMs,
      [own('unreachable', 'NoSchedule'), own('unreachable', 'NoExecute')],
    ],
    [
      'keep their time, and include the taints of others',
      node('Unknown', { taints: [foreign, own('unreachable', 'NoExecute', before)] }),
      graceMs,
      [foreign, own('unreachable', 'NoExecute', before), own('unreachable', 'NoSchedule')],
    ],
    [
      'state that the node is cordoned',
      node('True', { unschedulable: true }),
      0,
      [own('unschedulable', 'NoSchedule')],
    ],
    [
      'no longer state that the node is cordoned when it is uncordoned',
      node('True', { taints: [own('unschedulable', 'NoSchedule')] }),
      0,
      [],
    ],
  ])('%s', (_title, one, silentMs, taints) => {
    expect(decideNode(one, silentMs, now).taints).toEqual(taints);
  });
});

describe('the conditions of a node', () => {
  it('do not change while the node renews its lease', () => {
    const one = node('True');
    expect(decideNode(one, graceMs - 1, now)).toMatchObject({
      ready: 'True',
      conditions: (one['status'] as JsonObject)['conditions'],
    });
  });

  it('become Unknown when the node was silent for too long', () => {
    const { conditions, ready } = decideNode(node('True'), graceMs, now);
    expect(ready).toBe('Unknown');
    expect(conditions).toEqual(
      ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
        type,
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
        lastHeartbeatTime: before,
        lastTransitionTime: now,
      })),
    );
    const again = { ...node('True'), status: { conditions: [...conditions] } };
    expect(decideNode(again, graceMs, '2026-01-01T00:02:00Z').conditions).toEqual(conditions);
  });

  it('are created for a node that never reported its status', () => {
    const { conditions } = decideNode(node(undefined), graceMs, now);
    expect(conditions[0]).toEqual({
      type: 'Ready',
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: before,
      lastTransitionTime: now,
    });
    expect(conditions).toHaveLength(4);
  });
});
