import { expect } from 'expect';
import type { Answer } from '../../suite/api.js';
import type { Rule } from '../../suite/case.js';
import type { Scope } from '../../suite/scope.js';
import { configMap } from '../../suite/objects.js';
import { container, containersOf, deployment, deployments } from '../../suite/workloads.js';
import { create, releaseAfterwards } from '../../suite/write.js';

/** Creates a Deployment with these containers and patches the list. @returns the response to the patch */
export async function patchContainers(
  scope: Scope,
  containers: readonly object[],
  patch: readonly object[],
): Promise<Answer> {
  const name = scope.name('containers');
  await create(scope, deployments(scope.namespace), deployment(name, { containers }));
  const path = `${deployments(scope.namespace)}/${name}`;
  return scope.api.patch(path, 'strategic', { spec: { template: { spec: { containers: patch } } } });
}

/**
 * Declares the rules about strategic merge patches. Source:
 * https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/
 */
export function strategicPatchRules(rule: Rule): void {
  rule('merges list items by their merge key in a strategic merge patch', async (scope) => {
    const before = [container('one', { args: ['a'] }), container('two')];
    const answer = await patchContainers(scope, before, [
      { name: 'one', image: 'example.com/pause:1.0' },
      container('three'),
    ]);
    expect(answer.status).toBe(200);
    const after = containersOf(answer.body);
    expect(after.map((one) => one['name']).sort()).toEqual(['one', 'three', 'two']);
    expect(after.find((one) => one['name'] === 'one')).toMatchObject({
      image: 'example.com/pause:1.0',
      args: ['a'],
    });
  });

  rule('merges lists in list items, each by its own merge key', async (scope) => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ];
    const ports = [{ containerPort: 80, name: 'http' }];
    const answer = await patchContainers(
      scope,
      [container('app', { env, ports })],
      [
        {
          name: 'app',
          env: [
            { name: 'B', value: 'two' },
            { name: 'C', value: '3' },
          ],
          ports: [{ containerPort: 80, name: 'web' }],
        },
      ],
    );
    expect(answer.status).toBe(200);
    const [app] = containersOf(answer.body);
    expect(app?.['env']).toEqual(
      expect.arrayContaining([
        { name: 'A', value: '1' },
        { name: 'B', value: 'two' },
        { name: 'C', value: '3' },
      ]),
    );
    expect(app?.['env']).toHaveLength(3);
    expect(app?.['ports']).toMatchObject([{ containerPort: 80, name: 'web' }]);
  });

  rule('replaces a list without a merge key as a whole', async (scope) => {
    const answer = await patchContainers(
      scope,
      [container('app', { args: ['a', 'b'] })],
      [{ name: 'app', args: ['c'] }],
    );
    expect(answer.status).toBe(200);
    expect(containersOf(answer.body)[0]?.['args']).toEqual(['c']);
  });

  rule('removes by null in a strategic merge patch', async (scope) => {
    const answer = await patchContainers(
      scope,
      [container('app', { args: ['a'], workingDir: '/tmp' })],
      [{ name: 'app', args: null, workingDir: null }],
    );
    expect(answer.status).toBe(200);
    const [app] = containersOf(answer.body);
    expect(app).not.toHaveProperty('args');
    expect(app).not.toHaveProperty('workingDir');
  });

  rule('adds finalizers to those that are there in a strategic merge patch', async (scope) => {
    const name = scope.name('finalizers');
    const path = scope.core('configmaps', name);
    const finalizers = ['example.com/a'];
    await create(scope, scope.core('configmaps'), configMap(name, {}, { finalizers }));
    releaseAfterwards(scope, path);
    const patch = { metadata: { finalizers: ['example.com/b', 'example.com/a'] } };
    const merged = await scope.api.patch(path, 'strategic', patch);
    expect(merged.status).toBe(200);
    expect([...(merged.body.metadata.finalizers ?? [])].sort()).toEqual(['example.com/a', 'example.com/b']);
    const removed = await scope.api.patch(path, 'strategic', {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] },
    });
    expect(removed.status).toBe(200);
    expect(removed.body.metadata.finalizers).toEqual(['example.com/b']);
  });

  rule('merges owner references by uid in a strategic merge patch', async (scope) => {
    const name = scope.name('owners');
    const path = scope.core('configmaps', name);
    const owner = await create(scope, scope.core('configmaps'), configMap(`${name}-owner`));
    const { uid } = owner.metadata;
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: `${name}-owner`, uid };
    const ownerReferences = [reference];
    await create(scope, scope.core('configmaps'), configMap(name, {}, { ownerReferences }));
    const patch = { metadata: { ownerReferences: [{ uid, controller: true }] } };
    const answer = await scope.api.patch(path, 'strategic', patch);
    expect(answer.status).toBe(200);
    expect(answer.body.metadata.ownerReferences).toEqual([{ ...reference, controller: true }]);
    const removal = { metadata: { ownerReferences: [{ uid, $patch: 'delete' }] } };
    const removed = await scope.api.patch(path, 'strategic', removal);
    expect(removed.status).toBe(200);
    expect(removed.body.metadata.ownerReferences).toBeUndefined();
  });
}
