import { expect } from 'expect';
import type { Answer } from '../suite/api.js';
import { defineGroup } from '../suite/case.js';
import { createNode, createPod, podPath } from '../suite/running-pods.js';
import type { Scope } from '../suite/scope.js';

function binding(name: string, node: string, kind = 'Node'): object {
  return {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name },
    target: { apiVersion: 'v1', kind, name: node },
  };
}

const bind = (scope: Scope, pod: string, body: object): Promise<Answer> =>
  scope.api.post(`${podPath(scope.namespace, pod)}/binding`, body);

export const podBindings = defineGroup(
  'pod-bindings',
  { source: 'https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/binding-v1/' },
  (rule) => {
    rule('assigns a pod to a node', async (scope) => {
      const node = await createNode(scope);
      const { metadata } = await createPod(scope);
      const answer = await bind(scope, metadata.name, binding(metadata.name, node));
      expect(answer).toMatchObject({ status: 201, body: { kind: 'Status', status: 'Success' } });
      const { body } = await scope.api.get(podPath(scope.namespace, metadata.name));
      expect(body.spec).toMatchObject({ nodeName: node });
      expect(body.status).toMatchObject({
        phase: 'Pending',
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'PodScheduled', status: 'True' }),
        ]),
      });
    });

    rule('refuses to assign a pod that has a node', async (scope) => {
      const node = await createNode(scope);
      const { metadata } = await createPod(scope, { spec: { nodeName: node } });
      const refused = await bind(scope, metadata.name, binding(metadata.name, 'another'));
      expect({ status: refused.status, reason: refused.body.reason }).toEqual({
        status: 409,
        reason: 'Conflict',
      });
      expect(refused.body.message).toContain(`pod ${metadata.name} is already assigned to node "${node}"`);
    });

    rule('takes a binding through the collection of bindings', async (scope) => {
      const node = await createNode(scope);
      const { metadata } = await createPod(scope);
      const answer = await scope.api.post(scope.core('bindings'), binding(metadata.name, node));
      expect(answer.status).toBe(201);
      const { body } = await scope.api.get(podPath(scope.namespace, metadata.name));
      expect(body.spec).toMatchObject({ nodeName: node });
    });

    rule('refuses bindings to nothing, to other kinds and of other pods', async (scope) => {
      const { metadata } = await createPod(scope);
      const { name } = metadata;
      expect((await bind(scope, name, binding('another', 'node'))).status).toBe(400);
      expect((await bind(scope, name, binding(name, ''))).body.message).toContain('target.name');
      expect((await bind(scope, name, binding(name, 'node', 'Rack'))).body.message).toContain('target.kind');
      const { body } = await scope.api.get(podPath(scope.namespace, name));
      expect(body.spec).not.toHaveProperty('nodeName');
    });

    rule('answers a binding of a missing pod with 404', async (scope) => {
      const name = scope.name('missing');
      expect((await bind(scope, name, binding(name, 'node'))).status).toBe(404);
    });
  },
);
