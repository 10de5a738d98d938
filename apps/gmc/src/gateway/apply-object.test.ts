import { describe, expect, it } from '@jest/globals';
import {
  ApiError,
  controllerReference,
  Deployment,
  PodDisruptionBudget,
  RoleBinding,
  Service,
} from '@interlock/kube';
import { gatewayOf, tenantContext } from '../testing/builders.js';
import type { Rendered } from '../render/objects.js';
import { render } from '../render/render.js';
import { applyObject } from './apply-object.js';

const gateway = gatewayOf();
const refusal = new ApiError('Invalid', 'the API server does not accept the object', {
  method: 'PATCH',
  path: '/x',
  code: 422,
  reason: 'Invalid',
});
const own = [controllerReference(gateway)];

/** Applies an object of the controller, which is refused until the stored one is changed. Returns the changes. */
async function changesOf(
  kind: Rendered['kind'],
  stored: object,
  ownerReferences: readonly object[],
): Promise<unknown[]> {
  const rendered = render(gateway, tenantContext).find((object) => object.kind === kind);
  if (rendered === undefined) throw new Error(`there is no ${kind.kind}`);
  const metadata = { name: 'x', namespace: 'team-a', uid: 'u', resourceVersion: '7', ownerReferences };
  const changes: unknown[] = [];
  const client = {
    get: () => Promise.resolve({ metadata, ...stored }),
    patch: (_kind: unknown, _key: unknown, { patch }: { patch: unknown }) =>
      Promise.resolve(changes.push(patch)),
    delete: (_kind: unknown, { name }: { name: string }, { uid }: { uid: string }) =>
      Promise.resolve(changes.push({ deleted: name, uid })),
  };
  const applier = { apply: () => (changes.length === 0 ? Promise.reject(refusal) : Promise.resolve(true)) };
  const caches = { owned: () => undefined };
  await applyObject({ client, applier, caches } as never, gateway, rendered, new AbortController().signal);
  return changes;
}

const budgetOf = (spec: object) => [PodDisruptionBudget, { spec }] as const;
const bindingOf = (name: string) =>
  [RoleBinding, { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name } }] as const;

describe('applyObject', () => {
  it('removes the field of another client that excludes the field of the object', async () => {
    expect(await changesOf(...budgetOf({ minAvailable: 1 }), own)).toEqual([
      { metadata: { uid: 'u', resourceVersion: '7' }, spec: { minAvailable: null } },
    ]);
  });

  it('replaces the list of a Service in which a port of another client excludes its own', async () => {
    expect(await changesOf(Service, { spec: { ports: [{ name: 'proxy', port: 9090 }] } }, own)).toEqual([
      {
        metadata: { uid: 'u', resourceVersion: '7' },
        spec: expect.objectContaining({ ports: [expect.objectContaining({ port: 8080 })] }) as unknown,
      },
    ]);
  });

  it('replaces the binding of an earlier role, because the role of a binding cannot be changed', async () => {
    expect(await changesOf(...bindingOf('earlier-role'), own)).toEqual([{ deleted: 'x', uid: 'u' }]);
  });

  it.each([
    ['budget that does not belong to the gateway', budgetOf({ minAvailable: 1 }), []],
    ['Service that does not belong to the gateway', [Service, { spec: {} }] as const, []],
    ['Deployment that does not belong to the gateway', [Deployment, { spec: {} }] as const, []],
    ['budget that was refused for another reason', budgetOf({ maxUnavailable: 1 }), own],
    ['binding that does not belong to the gateway', bindingOf('earlier-role'), []],
    ['binding that was refused for another reason', bindingOf('interlock-agc'), own],
  ])('does not change a %s', async (_title, [kind, stored], owners) => {
    await expect(changesOf(kind, stored, owners)).rejects.toBe(refusal);
  });
});
