import type { Body } from './body.js';
import { configMap } from './objects.js';
import type { Scope } from './scope.js';
import { create, releaseAfterwards } from './write.js';

/** Returns a reference to an owner. */
export function referenceTo(owner: Body, fields: Readonly<Record<string, unknown>> = {}): object {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...fields };
}

/** Creates a ConfigMap that may have owners and finalizers. @returns it and its path. */
export async function createOwned(
  scope: Scope,
  prefix: string,
  { owners = [], finalizers = [] }: { owners?: readonly object[]; finalizers?: readonly string[] } = {},
): Promise<{ object: Body; path: string }> {
  const name = scope.name(prefix);
  const metadata = { ownerReferences: owners, finalizers };
  const object = await create(scope, scope.core('configmaps'), configMap(name, {}, metadata));
  const path = scope.core('configmaps', name);
  if (finalizers.length > 0) releaseAfterwards(scope, path);
  return { object, path };
}
