import { isTyped, keyOf, type Kind, type KubeObject } from '@interlock/api';
import type { CallOptions, Client } from '../client/types.js';

type Patcher = Pick<Client, 'patch'>;

/**
 * Adds a finalizer, unless it is there or the object is being deleted (the API server takes no new ones then).
 *
 * @returns the object as the server has it now, or `object` when nothing was to be done
 * @throws ApiError `Conflict` when the object is no longer the one observed
 */
export async function ensureFinalizer<T extends KubeObject>(
  client: Patcher,
  kind: Kind<T>,
  object: T,
  finalizer: string,
  options?: CallOptions,
): Promise<T> {
  const { finalizers = [], deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined || finalizers.includes(finalizer)) return object;
  return setFinalizers(client, kind, object, [...finalizers, finalizer], options);
}

/**
 * Removes a finalizer, unless it is gone or the whole object is.
 *
 * @throws ApiError `Conflict` when the object is no longer the one observed
 */
export async function removeFinalizer<T extends KubeObject>(
  client: Patcher,
  kind: Kind<T>,
  object: T,
  finalizer: string,
  options?: CallOptions,
): Promise<void> {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) return;
  try {
    const rest = finalizers.filter((name) => name !== finalizer);
    await setFinalizers(client, kind, object, rest, options);
  } catch (error) {
    if (!isTyped(error, 'NotFound')) throw error;
  }
}

/**
 * A merge patch replaces the whole list, so it carries the resourceVersion that the list was read at: the server
 * refuses it with a conflict when anybody, including another finalizer's owner, was faster.
 */
function setFinalizers<T extends KubeObject>(
  client: Patcher,
  kind: Kind<T>,
  object: T,
  finalizers: string[],
  options?: CallOptions,
): Promise<T> {
  const { resourceVersion } = object.metadata;
  return client.patch(
    kind,
    keyOf(object),
    { type: 'merge', patch: { metadata: { resourceVersion, finalizers } } },
    options,
  );
}
