import type { KubeObject } from '@interlock/api';
import type { CacheReader } from '@interlock/kube';

/** The index of sources by the namespaces in which they select objects. */
export const scopeIndex = 'scope';
const everyNamespace = '*';

/** The namespaces in which a source selects objects. */
interface Scope {
  metadata: { namespace?: string };
  spec: { namespaces?: string[] | undefined };
}

/** Returns the namespaces in which a source selects objects, or `all`. */
export function namespacesOf({ metadata, spec }: Scope): readonly string[] | 'all' {
  const namespaces = spec.namespaces ?? [metadata.namespace ?? ''];
  return namespaces.includes(everyNamespace) ? 'all' : namespaces;
}

/** Returns whether a source selects objects in the namespace of an object. */
export function inScope(source: Scope, object: KubeObject): boolean {
  const namespaces = namespacesOf(source);
  return namespaces === 'all' || namespaces.includes(object.metadata.namespace ?? '');
}

/** Returns the values of a source in {@link scopeIndex}. */
export function scopeValues(source: Scope): readonly string[] {
  const namespaces = namespacesOf(source);
  return namespaces === 'all' ? [everyNamespace] : namespaces;
}

/**
 * Returns the sources that select objects in the namespace of one of the objects, each once. Those of all other namespaces are
 * not read: a cluster may have thousands, and this is called for each change of an object.
 */
export function sourcesNear<S extends KubeObject>(
  sources: Pick<CacheReader<S>, 'byIndex'>,
  objects: readonly KubeObject[],
): S[] {
  if (objects.length === 0) return [];
  const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace ?? ''));
  const found = [...namespaces, everyNamespace].flatMap((one) => sources.byIndex(scopeIndex, one));
  return [...new Set(found)];
}

/** Returns the objects of the namespaces in which a source selects. */
export function objectsNear<T extends KubeObject>(source: Scope, objects: Pick<CacheReader<T>, 'list'>): T[] {
  const namespaces = namespacesOf(source);
  if (namespaces === 'all') return objects.list();
  return [...new Set(namespaces)].flatMap((namespace) => objects.list({ namespace }));
}
