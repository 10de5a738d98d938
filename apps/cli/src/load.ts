import { apiVersionOf, isTyped, type Kind, type KubeObject } from '@interlock/api';
import { Failure } from './exit.js';
import type { Session } from './session.js';

type Connection = Pick<Session, 'client' | 'signal'>;

/** @returns the object. @throws Failure when there is none of this name. */
export async function loadOne<T extends KubeObject>(
  { client, signal }: Connection,
  kind: Kind<T>,
  key: { namespace?: string; name: string },
): Promise<T> {
  try {
    return await client.get(kind, key, { signal });
  } catch (error) {
    if (!isTyped(error, 'NotFound')) throw error;
    const place = kind.namespaced ? ` in ${key.namespace ?? ''} namespace` : '';
    throw new Failure(`${kind.kind} ${key.name} not found${place} (${apiVersionOf(kind)})`);
  }
}

/** @returns the object; undefined when there is none of this name. */
export async function loadIfAny<T extends KubeObject>(
  { client, signal }: Connection,
  kind: Kind<T>,
  key: { namespace?: string; name: string },
): Promise<T | undefined> {
  try {
    return await client.get(kind, key, { signal });
  } catch (error) {
    if (isTyped(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** @returns all objects of a kind in the namespace, or in all of them, by name. */
export async function loadAll<T extends KubeObject>(
  { client, signal }: Connection,
  kind: Kind<T>,
  options: { namespace?: string; labelSelector?: string } = {},
): Promise<T[]> {
  const { items } = await client.list(kind, { ...options, signal });
  const key = ({ metadata }: T) => `${metadata.namespace ?? ''}/${metadata.name}`;
  return items.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
