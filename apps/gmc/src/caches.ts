import { ActionsGateway, RunnerGroup, type Kind, type KubeObject } from '@interlock/api';
import {
  Deployment,
  HorizontalPodAutoscaler,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  RoleBinding,
  Service,
  ServiceAccount,
  type Cache,
  type CacheOptions,
  type Manager,
} from '@interlock/kube';
import type { OwnedObject } from './gateway/observed.js';
import { reduceObject } from './reduce.js';
import { ownerLabel, ownerUidsOf } from './render/objects.js';

/** The kinds of a tenant's objects. Objects that are no longer required are deleted. */
export const ownedKinds: readonly Kind[] = [
  NetworkPolicy,
  ServiceAccount,
  Service,
  Deployment,
  PodDisruptionBudget,
  HorizontalPodAutoscaler,
  RoleBinding,
  RunnerGroup,
];

/**
 * Returns the options of the cache of an owned kind. Objects that the gmc does not manage are not kept, except RunnerGroups: the
 * controller of a tenant manages all of its namespace. Nor are the rules of NetworkPolicies, each of which lists thousands of networks of
 * GitHub: their metadata shows every change.
 */
export function ownedOptions(kind: Kind): CacheOptions<KubeObject> {
  if (kind === RunnerGroup) return { transform: reduceObject };
  return {
    ...{ labelSelector: ownerLabel, transform: reduceObject },
    ...(kind === NetworkPolicy && { metadataOnly: true }),
  };
}

export interface GmcCaches {
  gateways: Cache<ActionsGateway>;
  /** Metadata only. */
  namespaces: Cache<Namespace>;
  /** Without their spec. */
  groups: Cache<RunnerGroup>;
  deployments: Cache<Deployment>;
  /** Returns the cache of an owned kind. */
  owned(kind: Kind): Cache<KubeObject>;
}

const byOwner = 'owner';

/** Returns the caches of a manager, with their indexes. Called once, before it runs. */
export function gmcCaches(manager: Manager): GmcCaches {
  const caches = new Map(ownedKinds.map((kind) => [kind.kind, manager.cache(kind, ownedOptions(kind))]));
  for (const cache of caches.values()) {
    cache.addIndex(byOwner, ownerUidsOf);
  }
  const owned = (kind: Kind): Cache<KubeObject> => {
    const cache = caches.get(kind.kind);
    if (cache === undefined) throw new TypeError(`no cache of ${kind.kind}`);
    return cache;
  };
  return {
    gateways: manager.cache(ActionsGateway),
    namespaces: manager.cache(Namespace, { metadataOnly: true }),
    groups: owned(RunnerGroup) as Cache<RunnerGroup>,
    deployments: owned(Deployment) as Cache<Deployment>,
    owned,
  };
}

/** Returns the objects that carry the label of a gateway and belong to it. Objects of other owners are never removed. */
export function ownedBy(caches: Pick<GmcCaches, 'owned'>, gateway: ActionsGateway): OwnedObject[] {
  return ownedKinds.flatMap((kind) =>
    belonging(caches.owned(kind), gateway).map((object) => ownedObject(kind, object)),
  );
}

/** Returns what is kept of an object that belongs to a gateway. */
export function ownedObject(
  kind: Kind,
  { metadata: { name, uid = '', deletionTimestamp } }: KubeObject,
): OwnedObject {
  return { kind, name, uid, isBeingDeleted: deletionTimestamp !== undefined };
}

/** Returns the RunnerGroups of a gateway. */
export function groupsOf({ groups }: Pick<GmcCaches, 'groups'>, gateway: ActionsGateway): RunnerGroup[] {
  return belonging(groups, gateway);
}

/**
 * Returns the objects of a cache that belong to a gateway. While the gateway is being deleted, these include RunnerGroups without
 * its label, because the gmc no longer restores the label, and the garbage collector deletes them as well.
 */
function belonging<T extends KubeObject>(
  cache: Pick<Cache<T>, 'byIndex'>,
  { metadata: { name, namespace, uid = '', deletionTimestamp } }: ActionsGateway,
): T[] {
  return cache
    .byIndex(byOwner, uid)
    .filter(
      ({ metadata }) =>
        metadata.namespace === namespace &&
        (deletionTimestamp !== undefined || metadata.labels?.[ownerLabel] === name),
    );
}
