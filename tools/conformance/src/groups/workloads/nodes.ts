import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { conditionOf } from '../../suite/conditions.js';
import { openNode } from '../../suite/scheduled-pods.js';

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** Declares the rules about the status of nodes. */
export function nodeRules(rule: Rule): void {
  rule('reports what a node has and what pods can use', async (scope) => {
    const node = await openNode(scope);
    const amounts = {
      cpu: expect.any(String),
      memory: expect.any(String),
      'ephemeral-storage': expect.any(String),
      pods: expect.any(String),
    };
    expect(node.status).toMatchObject({ capacity: amounts, allocatable: amounts });
    expect(node.metadata.labels).toMatchObject({
      'kubernetes.io/hostname': expect.any(String),
      'kubernetes.io/os': expect.any(String),
      'kubernetes.io/arch': expect.any(String),
    });
  });

  rule('reports the conditions of a node that is ready', async (scope) => {
    const node = await openNode(scope);
    for (const type of ['MemoryPressure', 'DiskPressure', 'PIDPressure']) {
      expect([type, conditionOf(node, type)?.status]).toEqual([type, 'False']);
    }
    expect(conditionOf(node, 'Ready')).toMatchObject({ status: 'True', reason: 'KubeletReady' });
  });

  rule('keeps a lease for each node that is ready', async (scope) => {
    const { name, uid } = (await openNode(scope)).metadata;
    const { body } = await scope.eventually(`${leases}/${name}`, ({ status }) => status === 200);
    expect(body.spec).toMatchObject({ holderIdentity: name, leaseDurationSeconds: expect.any(Number) });
    expect(body.metadata.ownerReferences).toMatchObject([{ kind: 'Node', name, uid }]);
  });
}
