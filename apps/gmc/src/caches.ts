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
import { ownerLabel } from './render/objects.js';

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
 * controller of a tenant manages all of its namespace.
 */
export function ownedOptions(kind: Kind): CacheOptions<KubeObject> {
  return kind === RunnerGroup ? {} : { labelSelector: ownerLabel };
}

export interface GmcCaches {
  gateways: Cache<ActionsGateway>;
  /** Metadata only. */
  namespaces: Cache<Namespace>;
  groups: Cache<RunnerGroup>;
  deployments: Cache<Deployment>;
  /** Returns the cache of an owned kind. */
  owned(kind: Kind): Cache<KubeObject>;
}

const byGateway = 'gateway';

/** Returns the caches of a manager, with their indexes. Called once, before it runs. */
export function gmcCaches(manager: Manager): GmcCaches {
  const caches = new Map(ownedKinds.map((kind) => [kind.kind, manager.cache(kind, ownedOptions(kind))]));
  for (const cache of caches.values()) {
    cache.addIndex(byGateway, ({ metadata }) => [
      `${metadata.namespace ?? ''}/${metadata.labels?.[ownerLabel] ?? ''}`,
    ]);
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
export function ownedBy({ owned }: Pick<GmcCaches, 'owned'>, { metadata }: ActionsGateway): OwnedObject[] {
  const key = `${metadata.namespace ?? ''}/${metadata.name}`;
  return ownedKinds.flatMap((kind) =>
    owned(kind)
      .byIndex(byGateway, key)
      .filter((object) => object.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true)
      .map((object) => ({
        kind,
        name: object.metadata.name,
        uid: object.metadata.uid ?? '',
        isBeingDeleted: object.metadata.deletionTimestamp !== undefined,
      })),
  );
}

/** Returns the RunnerGroups of a gateway. */
export function groupsOf({ groups }: Pick<GmcCaches, 'groups'>, { metadata }: ActionsGateway): RunnerGroup[] {
  return groups
    .byIndex(byGateway, `${metadata.namespace ?? ''}/${metadata.name}`)
    .filter((group) => group.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true);
}
