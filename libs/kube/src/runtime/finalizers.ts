import { ifFound, keyOf, type Kind, type KubeObject } from '@interlock/api';
import type { Client } from '../client/types.js';

type Patcher = Pick<Client, 'patch'>;

/**
 * Adds a finalizer, unless it exists or the object is being deleted (the API server then accepts no new ones). Returns
 * the object as it is stored.
 *
 * @throws ApiError `Conflict` when the object is no longer the observed one
 */
export async function ensureFinalizer<T extends KubeObject>(
  client: Patcher,
  kind: Kind<T>,
  object: T,
  finalizer: string,
): Promise<T> {
  const { finalizers = [], deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined || finalizers.includes(finalizer)) return object;
  return setFinalizers(client, kind, object, [...finalizers, finalizer]);
}

/**
 * Removes a finalizer, unless it or the object is gone.
 *
 * @throws ApiError `Conflict` when the object is no longer the observed one
 */
export async function removeFinalizer<T extends KubeObject>(
  client: Patcher,
  kind: Kind<T>,
  object: T,
  finalizer: string,
): Promise<void> {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) return;
  const rest = finalizers.filter((name) => name !== finalizer);
  await ifFound(setFinalizers(client, kind, object, rest));
}

/**
 * Replaces the finalizers of an object. A merge patch replaces the whole list, so it contains the resourceVersion of
 * the list that was read: the server refuses it with a conflict if another client changed the object meanwhile.
 */
function setFinalizers<T extends KubeObject>(
  client: Patcher,
  kind: Kind<T>,
  object: T,
  finalizers: string[],
): Promise<T> {
  const { resourceVersion } = object.metadata;
  const patch = { metadata: { resourceVersion, finalizers } };
  return client.patch(kind, keyOf(object), { type: 'merge', patch });
}
