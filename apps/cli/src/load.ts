import {
  apiVersionOf,
  isTyped,
  TypedError,
  type Kind,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import { Namespace } from '@interlock/kube';
import { Failure } from './exit.js';
import type { Session } from './session.js';

type Connection = Pick<Session, 'client' | 'signal'>;

/**
 * Returns the object.
 *
 * @throws Failure if it does not exist
 */
export async function loadOne<T extends KubeObject>(
  { client, signal }: Connection,
  kind: Kind<T>,
  key: ObjectKey,
): Promise<T> {
  try {
    return await client.get(kind, key, { signal });
  } catch (error) {
    throw isTyped(error, 'NotFound') ? notFound(kind, key) : error;
  }
}

/** Returns the failure which reports that an object does not exist. */
export function notFound(kind: Kind, { namespace, name }: ObjectKey): Failure {
  const place = kind.namespaced ? ` in ${namespace ?? ''} namespace` : '';
  return new Failure(`${kind.kind} ${name} not found${place} (${apiVersionOf(kind)})`);
}

/** Returns all objects of a kind in the namespace, or in all namespaces, sorted by name. */
export async function loadAll<T extends KubeObject>(
  { client, signal }: Connection,
  kind: Kind<T>,
  options: { namespace?: string | undefined; labelSelector?: string | undefined } = {},
): Promise<T[]> {
  const { items } = await client.list(kind, { ...options, signal });
  return byName(items);
}

/** Compares objects by namespace and name. */
export function byName<T extends KubeObject>(objects: readonly T[]): T[] {
  const key = ({ metadata }: T) => `${metadata.namespace ?? ''}/${metadata.name}`;
  return [...objects].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/**
 * Loads an object of a kind that only the cluster knows.
 *
 * @throws TypedError `NotFound` if it does not exist, or if the cluster does not serve the kind
 */
export async function loadAny(
  { client, signal }: Connection,
  { apiVersion, kind, namespace, name }: { apiVersion: string; kind: string } & ObjectKey,
): Promise<KubeObject> {
  const served = await client.resolveKind(apiVersion, kind, { signal }).catch((error: unknown) => {
    throw isTyped(error, 'Invalid') ? new TypedError('NotFound', error.message, { cause: error }) : error;
  });
  if (served === undefined) throw new TypedError('NotFound', `${apiVersion} has no kind ${kind}`);
  return client.get<KubeObject>(served, { namespace, name }, { signal });
}

/** Returns whether a namespace exists; true if the user may not read namespaces. */
export async function namespaceExists({ client, signal }: Connection, name: string): Promise<boolean> {
  try {
    await client.get(Namespace, { name }, { signal });
    return true;
  } catch (error) {
    if (isTyped(error, 'NotFound')) return false;
    if (isTyped(error, 'Unauthorized')) return true;
    throw error;
  }
}
