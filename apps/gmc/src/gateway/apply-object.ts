import { ifFound, keyOf, type ActionsGateway, type Kind, type KubeObject } from '@interlock/api';
import { semanticEqual } from '@interlock/base';
import {
  ApiError,
  Deployment,
  isControlledBy,
  PodDisruptionBudget,
  RoleBinding,
  Service,
  type Applier,
  type Client,
} from '@interlock/kube';
import type { GmcCaches } from '../caches.js';
import type { Rendered } from '../render/objects.js';

interface ApplyParts {
  client: Pick<Client, 'get' | 'patch' | 'delete'>;
  applier: Pick<Applier, 'apply'>;
  caches: Pick<GmcCaches, 'owned'>;
}

/**
 * The kinds whose objects can be refused because of what other clients have set. A Service and a Deployment have lists that
 * server-side apply merges, such as ports with the same name. A merge patch replaces such a list.
 */
const repaired: readonly Kind[] = [Deployment, PodDisruptionBudget, RoleBinding, Service];

/**
 * Applies an object of a gateway. Server-side apply keeps the fields that only other clients have set. If such a field excludes one
 * of the object, the API server refuses it: the field, or the list that contains it, is then replaced, provided that the gateway
 * owns the object. A RoleBinding of another role, such as that of an earlier --tenant-role, is replaced, because the API server
 * does not change its role.
 *
 * @returns whether a call was made
 * @throws ApiError
 */
export async function applyObject(
  { client, applier, caches }: ApplyParts,
  gateway: ActionsGateway,
  { kind, configuration }: Rendered,
  signal: AbortSignal,
): Promise<boolean> {
  const apply = () => applier.apply(kind, caches.owned(kind), configuration, signal);
  try {
    return await apply();
  } catch (error) {
    const isRefused = error instanceof ApiError && error.code === 422;
    if (!isRefused || !repaired.includes(kind)) throw error;
    const { name, namespace } = configuration.metadata;
    const current = await ifFound(client.get(kind, { name, namespace }, { signal }));
    if (current === undefined || !isControlledBy(current, gateway)) throw error;
    const { uid, resourceVersion } = current.metadata;
    if (kind === RoleBinding) {
      if (semanticEqual(roleOf(current), roleOf(configuration))) throw error;
      await client.delete(kind, keyOf(current), { uid, signal });
    } else {
      const spec =
        kind === PodDisruptionBudget ? withoutAlternatives(current, configuration) : specOf(configuration);
      if (Object.keys(spec).length === 0) throw error;
      const patch = { metadata: { uid, resourceVersion }, spec };
      await client.patch(kind, keyOf(current), { type: 'merge', patch }, { signal });
    }
    return apply();
  }
}

function roleOf(binding: object): unknown {
  return (binding as Partial<RoleBinding>).roleRef;
}

/** The fields of a PodDisruptionBudget of which only one may be set. */
const alternatives = ['minAvailable', 'maxUnavailable'];

/** Returns the change that removes the fields of a stored PodDisruptionBudget that exclude those of its configuration. */
function withoutAlternatives(current: KubeObject, configuration: object): object {
  const excess = alternatives.filter(
    (field) => field in specOf(current) && !(field in specOf(configuration)),
  );
  return Object.fromEntries(excess.map((field) => [field, null]));
}

function specOf(object: object): object {
  return (object as { spec?: object }).spec ?? {};
}
