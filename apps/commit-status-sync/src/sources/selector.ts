import type { KubeObject } from '@interlock/api';

/** The namespaces in which a source selects objects. */
interface Scope {
  metadata: { namespace?: string };
  spec: { namespaces?: string[] | undefined };
}

/** Returns the namespaces in which a source selects objects, or `all`. */
export function namespacesOf({ metadata, spec }: Scope): readonly string[] | 'all' {
  const namespaces = spec.namespaces ?? [metadata.namespace ?? ''];
  return namespaces.includes('*') ? 'all' : namespaces;
}

/** Returns whether a source selects objects in the namespace of an object. */
export function inScope(source: Scope, object: KubeObject): boolean {
  const namespaces = namespacesOf(source);
  return namespaces === 'all' || namespaces.includes(object.metadata.namespace ?? '');
}
