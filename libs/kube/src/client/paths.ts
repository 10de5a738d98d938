import { TypedError, type Kind, type ObjectKey } from '@interlock/api';

export type Query = Record<string, string | number | boolean | undefined>;

/** @returns the path of a collection: of one namespace, or of all when `namespace` is absent. */
export function collectionPath(kind: Kind, namespace: string | undefined): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (!kind.namespaced) return `${root}/${kind.plural}`;
  return namespace === undefined
    ? `${root}/${kind.plural}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}`;
}

/**
 * @returns the path of one object.
 * @throws `Invalid` when the name, or the namespace of a namespaced kind, is missing: the shorter path would
 *   address the whole collection.
 */
export function objectPath(kind: Kind, key: ObjectKey, subresource?: string): string {
  requireNamespace(kind, key.namespace);
  if (!key.name) throw new TypedError('Invalid', `a ${kind.kind} cannot be addressed without a name`);
  const path = `${collectionPath(kind, key.namespace)}/${encodeURIComponent(key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** @throws `Invalid` when a namespaced kind is addressed without a namespace. */
export function requireNamespace(kind: Kind, namespace: string | undefined): void {
  if (kind.namespaced && !namespace) {
    throw new TypedError('Invalid', `a ${kind.kind} cannot be addressed without a namespace`);
  }
}

/** @returns `path` with the entries of `query` that are defined. */
export function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  if (text === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${text}`;
}
