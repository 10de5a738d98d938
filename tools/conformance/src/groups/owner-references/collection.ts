import { expect } from 'expect';
import type { Answer } from '../../suite/api.js';
import type { Rule } from '../../suite/case.js';
import { createOwned, referenceTo } from '../../suite/owners.js';
import { create } from '../../suite/write.js';

const gone = ({ status }: Answer): boolean => status === 404;

/**
 * Declares the rules about garbage collection.
 * Source: https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export function collectionRules(rule: Rule): void {
  rule(
    'deletes the dependents of an owner that is deleted in the background',
    async (scope) => {
      const owner = await createOwned(scope, 'owner');
      const child = await createOwned(scope, 'child', { owners: [referenceTo(owner.object)] });
      const grandchild = await createOwned(scope, 'grandchild', { owners: [referenceTo(child.object)] });
      const other = await createOwned(scope, 'other');
      const query = { propagationPolicy: 'Background' };
      expect((await scope.api.delete(owner.path, { query })).body).toMatchObject({ status: 'Success' });
      expect((await scope.api.get(owner.path)).status).toBe(404);
      await scope.eventually(child.path, gone);
      await scope.eventually(grandchild.path, gone);
      expect((await scope.api.get(other.path)).status).toBe(200);
    },
    'controllers',
  );

  rule(
    'deletes dependents in the background by default',
    async (scope) => {
      const owner = await createOwned(scope, 'owner');
      const child = await createOwned(scope, 'child', { owners: [referenceTo(owner.object)] });
      await scope.api.delete(owner.path);
      await scope.eventually(child.path, gone);
    },
    'controllers',
  );

  rule(
    'keeps the dependents of an owner that is deleted with Orphan, without the reference',
    async (scope) => {
      const owner = await createOwned(scope, 'owner');
      const child = await createOwned(scope, 'child', { owners: [referenceTo(owner.object)] });
      await scope.api.delete(owner.path, { query: { propagationPolicy: 'Orphan' } });
      await scope.eventually(owner.path, gone);
      const { status, body } = await scope.api.get(child.path);
      expect(status).toBe(200);
      expect(body.metadata.uid).toBe(child.object.metadata.uid);
      expect(body.metadata.ownerReferences).toBeUndefined();
      expect(body.metadata.deletionTimestamp).toBeUndefined();
    },
    'controllers',
  );

  rule(
    'keeps a dependent while one of its owners exists, without the references to the others',
    async (scope) => {
      const first = await createOwned(scope, 'first');
      const second = await createOwned(scope, 'second');
      const owners = [referenceTo(first.object), referenceTo(second.object)];
      const child = await createOwned(scope, 'child', { owners });
      await scope.api.delete(first.path);
      const left = await scope.eventually(
        child.path,
        ({ body }) => body.metadata.ownerReferences?.length === 1,
      );
      expect(left.body.metadata.ownerReferences).toEqual([referenceTo(second.object)]);
      await scope.api.delete(second.path);
      await scope.eventually(child.path, gone);
    },
    'controllers',
  );

  rule(
    'deletes an object whose owner does not exist',
    async (scope) => {
      const uid = '11111111-1111-1111-1111-111111111111';
      const absent = { apiVersion: 'v1', kind: 'ConfigMap', name: scope.name('absent'), uid };
      const child = await createOwned(scope, 'child', { owners: [absent] });
      await scope.eventually(child.path, gone);
    },
    'controllers',
  );

  rule(
    'deletes an object whose owner has another uid than the reference',
    async (scope) => {
      const owner = await createOwned(scope, 'owner');
      const uid = '11111111-1111-1111-1111-111111111111';
      const child = await createOwned(scope, 'child', { owners: [referenceTo(owner.object, { uid })] });
      await scope.eventually(child.path, gone);
      expect((await scope.api.get(owner.path)).status).toBe(200);
    },
    'controllers',
  );

  rule(
    'deletes the namespaced dependents of a cluster-scoped owner',
    async (scope) => {
      const clusterRoles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
      const owner = await create(scope, clusterRoles, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: scope.name('owner') },
        rules: [],
      });
      const child = await createOwned(scope, 'child', { owners: [referenceTo(owner)] });
      await scope.api.delete(`${clusterRoles}/${owner.metadata.name}`);
      await scope.eventually(child.path, gone);
    },
    'controllers',
  );
}
