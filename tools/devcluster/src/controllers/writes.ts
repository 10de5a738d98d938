import { ApiError } from '../api/api-error.js';
import type { Cluster } from '../api/cluster.js';
import { createObject } from '../api/create.js';
import { decodeObject } from '../api/decode.js';
import { deleteObject, type DeleteOptions } from '../api/delete.js';
import { updateObject } from '../api/update.js';
import { objectsAt, type KubeObject } from '../object.js';
import type { Resource } from '../registry/resource.js';
import { jsonEqual } from '../schema/json.js';
import type { JsonObject } from '../schema/types.js';
import { controller } from './identity.js';
import { addControllerReference, claim, removeOwner } from './ownership.js';
import { quietly } from './quietly.js';

/** Creates an object as a controller, with admission and validation, and returns it. @throws ApiError */
export async function createAs(
  cluster: Cluster,
  resource: Resource,
  namespace: string,
  object: KubeObject,
): Promise<KubeObject> {
  const { object: decoded } = decodeObject(object, resource, 'Ignore');
  return (await createObject(cluster, resource, namespace, decoded, controller)).object;
}

/**
 * Changes an object as a controller. Ignores an object that was deleted, replaced or changed too often meanwhile,
 * because that change triggers the controller again.
 */
export async function changeAs(
  cluster: Cluster,
  resource: Resource,
  { metadata }: KubeObject,
  edit: (live: KubeObject) => void,
  subresource?: 'status',
): Promise<void> {
  const { name, namespace = '', uid } = metadata;
  const change = (live: KubeObject): KubeObject => {
    if (live.metadata.uid === uid) edit(live);
    return live;
  };
  const update = { namespace, name, change, subresource, unconditional: true };
  await quietly(() => updateObject(cluster, resource, update, controller));
}

/**
 * Adopts and releases objects of a namespace for an owner; `also` makes further changes. Returns the objects that the
 * owner manages.
 */
export async function claimAs(
  cluster: Cluster,
  resource: Resource,
  owner: KubeObject,
  candidates: readonly KubeObject[],
  also: { adopt?: (live: KubeObject) => void; release?: (live: KubeObject) => void } = {},
): Promise<KubeObject[]> {
  const { owned, adopt, release } = claim(owner, candidates);
  for (const one of adopt) {
    await changeAs(cluster, resource, one, (live) => {
      addControllerReference(live, owner);
      also.adopt?.(live);
    });
  }
  for (const one of release) {
    await changeAs(cluster, resource, one, (live) => {
      removeOwner(live, owner.metadata.uid);
      also.release?.(live);
    });
  }
  return owned;
}

/** Writes the status and annotations of an object if they change. */
export async function writeStatus(
  cluster: Cluster,
  resource: Resource,
  object: KubeObject,
  status: JsonObject,
  annotations: Readonly<Record<string, string>> = {},
): Promise<void> {
  const present = object.metadata.annotations ?? {};
  const same = Object.entries(annotations).every(([key, value]) => present[key] === value);
  if (same && jsonEqual(status, object['status'] ?? {})) return;
  const edit = (live: KubeObject): void => {
    live['status'] = status;
    if (!same) live.metadata.annotations = { ...live.metadata.annotations, ...annotations };
  };
  await changeAs(cluster, resource, object, edit, 'status');
}

/** Deletes an object as a controller. Returns false if it was already deleted or replaced. */
export async function deleteAs(
  cluster: Cluster,
  resource: Resource,
  { metadata }: KubeObject,
  propagationPolicy: NonNullable<DeleteOptions['propagationPolicy']> = 'Background',
): Promise<boolean> {
  const { name, namespace = '', uid } = metadata;
  const options = { propagationPolicy, preconditions: uid === undefined ? {} : { uid } };
  return quietly(() => deleteObject(cluster, resource, { namespace, name }, options, controller));
}

/** Returns whether the API server refuses to create anything because the namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    objectsAt(error.details ?? {}, 'causes').some((cause) => cause['reason'] === 'NamespaceTerminating')
  );
}
