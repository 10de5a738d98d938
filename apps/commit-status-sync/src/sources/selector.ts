import type { KubeObject, LabelSelector } from '@interlock/api';

/**
 * @returns whether a label selector matches labels; an empty one matches all (Kubernetes documentation, "Labels and
 *   Selectors": NotIn and DoesNotExist match an object without the key).
 */
export function matchesLabels(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>> | undefined = {},
): boolean {
  const equal = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return (
    equal &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
      }
    })
  );
}

/** Where a source selects objects. */
export interface Scope {
  metadata: { namespace?: string };
  spec: { namespaces?: string[] | undefined };
}

/** @returns the namespaces in which a source selects objects, or `all`. */
export function namespacesOf({ metadata, spec }: Scope): readonly string[] | 'all' {
  const namespaces = spec.namespaces ?? [metadata.namespace ?? ''];
  return namespaces.includes('*') ? 'all' : namespaces;
}

/** @returns whether a source looks at the namespace of an object. */
export function inScope(source: Scope, object: KubeObject): boolean {
  const namespaces = namespacesOf(source);
  return namespaces === 'all' || namespaces.includes(object.metadata.namespace ?? '');
}
