import { expect, it } from '@jest/globals';
import type { WorkerPodSpec } from './runner-container.js';
import { scheduledToNode } from './node.js';

const node1 = { key: 'metadata.name', operator: 'In', values: ['node-1'] };
const everyTaint = { operator: 'Exists', effect: 'NoSchedule' };

const scheduled = (spec: Partial<WorkerPodSpec>) => scheduledToNode({ containers: [], ...spec });

it('keeps a pod that names no node', () => {
  const spec = { containers: [], nodeSelector: { gpu: 'true' } };
  expect(scheduledToNode(spec)).toBe(spec);
  expect(scheduled({ nodeName: '' })).toEqual({ containers: [], nodeName: '' });
});

it('requires the node by its name, and tolerates what nodeName does', () => {
  expect(scheduled({ nodeName: 'node-1', nodeSelector: { gpu: 'true' } })).toEqual({
    containers: [],
    nodeSelector: { gpu: 'true' },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [node1] }] },
      },
    },
    tolerations: [everyTaint],
  });
});

it('adds the name to every term of the template, and keeps its other affinity and tolerations', () => {
  const zone = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
  const other = { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['node-2'] }] };
  const preferred = [{ weight: 1, preference: zone }];
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] };
  const tolerations = [{ key: 'ci', operator: 'Exists', effect: 'NoExecute' }];
  const spec = scheduled({
    nodeName: 'node-1',
    tolerations,
    affinity: {
      podAntiAffinity,
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [zone, other] },
      },
    },
  });
  expect(spec.tolerations).toEqual([...tolerations, everyTaint]);
  expect(spec.affinity).toEqual({
    podAntiAffinity,
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { ...zone, matchFields: [node1] },
          { matchFields: [...other.matchFields, node1] },
        ],
      },
    },
  });
});
