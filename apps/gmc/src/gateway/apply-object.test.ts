import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@interlock/api';
import { ApiError, controllerReference, PodDisruptionBudget, RoleBinding } from '@interlock/kube';
import { gatewayOf, tenantContext } from '../testing/builders.js';
import { render } from '../render/render.js';
import { applyObject } from './apply-object.js';

const gateway = gatewayOf();
const [budget] = render(gateway, tenantContext).filter(({ kind }) => kind === PodDisruptionBudget);
const bothSet = new ApiError('Invalid', 'cannot be both set', {
  method: 'PATCH',
  path: '/x',
  code: 422,
  reason: 'Invalid',
});

/** Applies the budget of the proxy, which is refused while the stored one has maxUnavailable. Returns the patches. */
async function patchesFor(spec: object, owners: readonly object[]): Promise<unknown[]> {
  if (budget === undefined) throw new Error('there is no budget');
  const metadata = { name: 'actions-gateway-proxy', namespace: 'team-a', uid: 'u', resourceVersion: '7' };
  const stored = { metadata: { ...metadata, ownerReferences: owners }, spec } as unknown as KubeObject;
  const patches: unknown[] = [];
  const client = {
    get: () => Promise.resolve(stored),
    patch: (_kind: unknown, _key: unknown, { patch }: { patch: unknown }) => {
      patches.push(patch);
      return Promise.resolve(stored);
    },
  };
  const applier = { apply: () => (patches.length === 0 ? Promise.reject(bothSet) : Promise.resolve(true)) };
  const caches = { owned: () => undefined };
  await applyObject({ client, applier, caches } as never, gateway, budget, new AbortController().signal);
  return patches;
}

describe('applyObject', () => {
  it('removes the field of another client that excludes the field of the object', async () => {
    expect(await patchesFor({ minAvailable: 1 }, [controllerReference(gateway)])).toEqual([
      { metadata: { uid: 'u', resourceVersion: '7' }, spec: { minAvailable: null } },
    ]);
  });

  it.each([
    ['does not belong to the gateway', { minAvailable: 1 }, []],
    ['was refused for another reason', { maxUnavailable: 1 }, [controllerReference(gateway)]],
  ])('does not change an object that %s', async (_, spec, owners) => {
    await expect(patchesFor(spec, owners)).rejects.toBe(bothSet);
  });
});

/** Applies the RoleBinding of the controller, which is refused while the stored one has another role. Returns the deletions. */
async function deletionsFor(role: string, owners: readonly object[]): Promise<unknown[]> {
  const binding = render(gateway, tenantContext).find(({ kind }) => kind === RoleBinding);
  if (binding === undefined) throw new Error('there is no RoleBinding');
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role };
  const metadata = { name: 'actions-gateway-controller', namespace: 'team-a', uid: 'u' };
  const deletions: unknown[] = [];
  const client = {
    get: () => Promise.resolve({ metadata: { ...metadata, ownerReferences: owners }, roleRef }),
    delete: (_kind: unknown, { name }: { name: string }, { uid }: { uid: string }) => {
      deletions.push({ name, uid });
      return Promise.resolve();
    },
  };
  const applier = { apply: () => (deletions.length === 0 ? Promise.reject(bothSet) : Promise.resolve(true)) };
  const caches = { owned: () => undefined };
  await applyObject({ client, applier, caches } as never, gateway, binding, new AbortController().signal);
  return deletions;
}

describe('applyObject for a RoleBinding', () => {
  it('replaces the binding of an earlier role, because the role of a binding cannot be changed', async () => {
    expect(await deletionsFor('earlier-role', [controllerReference(gateway)])).toEqual([
      { name: 'actions-gateway-controller', uid: 'u' },
    ]);
  });

  it.each([
    ['does not belong to the gateway', 'earlier-role', []],
    ['was refused for another reason', 'interlock-agc', [controllerReference(gateway)]],
  ])('does not delete a binding that %s', async (_, role, owners) => {
    await expect(deletionsFor(role, owners)).rejects.toBe(bothSet);
  });
});
