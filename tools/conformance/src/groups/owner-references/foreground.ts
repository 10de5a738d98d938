import { expect } from 'expect';
import type { Answer } from '../../suite/api.js';
import type { Rule } from '../../suite/case.js';
import { createOwned, referenceTo } from '../../suite/owners.js';

const gone = ({ status }: Answer): boolean => status === 404;
const isDeleting = ({ body }: Answer): boolean => body.metadata.deletionTimestamp !== undefined;
const foreground = { propagationPolicy: 'Foreground' };
const finalizers = ['example.com/hold'];

/**
 * Declares the rules about foreground deletion. Source:
 * https://kubernetes.io/docs/concepts/architecture/garbage-collection/#foreground-deletion
 */
export function foregroundRules(rule: Rule): void {
  rule(
    'deletes an owner in the foreground only after the dependents that block it',
    async (scope) => {
      const owner = await createOwned(scope, 'owner');
      const owners = [referenceTo(owner.object, { blockOwnerDeletion: true })];
      const child = await createOwned(scope, 'child', { owners, finalizers });
      const answer = await scope.api.delete(owner.path, { query: foreground });
      expect(answer).toMatchObject({
        status: 200,
        body: {
          kind: 'ConfigMap',
          metadata: { finalizers: ['foregroundDeletion'], deletionTimestamp: expect.any(String) },
        },
      });
      await scope.eventually(child.path, isDeleting);
      expect(await scope.api.get(owner.path)).toMatchObject({
        status: 200,
        body: { metadata: { finalizers: ['foregroundDeletion'] } },
      });
      await scope.api.patch(child.path, 'merge', { metadata: { finalizers: null } });
      await scope.eventually(child.path, gone);
      await scope.eventually(owner.path, gone);
    },
    'controllers',
  );

  rule(
    'does not wait in a foreground deletion for dependents that do not block',
    async (scope) => {
      const owner = await createOwned(scope, 'owner');
      const owners = [referenceTo(owner.object, { blockOwnerDeletion: false })];
      const child = await createOwned(scope, 'child', { owners, finalizers });
      await scope.api.delete(owner.path, { query: foreground });
      await scope.eventually(owner.path, gone);
      await scope.eventually(child.path, isDeleting);
    },
    'controllers',
  );

  rule(
    'deletes an owner without dependents in the foreground at once',
    async (scope) => {
      const owner = await createOwned(scope, 'owner');
      await scope.api.delete(owner.path, { query: foreground });
      await scope.eventually(owner.path, gone);
    },
    'controllers',
  );
}
