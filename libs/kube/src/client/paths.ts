import { TypedError, type Kind, type ObjectKey } from '@interlock/api';

type Query = Record<string, string | number | boolean | undefined>;

/** Returns the path of all kinds of a group version. @throws `Invalid` as {@link segment}. */
export function groupPath({ group, version }: Pick<Kind, 'group' | 'version'>): string {
  return group === '' ? `/api/${segment(version)}` : `/apis/${segment(group)}/${segment(version)}`;
}

/** Returns the path of a collection: of one namespace, or of all when `namespace` is absent. */
export function collectionPath(kind: Kind, namespace: string | undefined): string {
  const plural = segment(kind.plural);
  const scope = kind.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace)}` : '';
  return `${groupPath(kind)}${scope}/${plural}`;
}

/**
 * Returns one part of a path. Names come from objects that others write, and `..` would address another object.
 *
 * @throws `Invalid` for what is not a part of a path.
 */
function segment(text: string): string {
  if (text !== '' && text !== '.' && text !== '..') return encodeURIComponent(text);
  throw new TypedError('Invalid', `${JSON.stringify(text)} cannot be part of the path of an object`);
}

/**
 * Returns the path of one object.
 * @throws `Invalid` when the name, or the namespace of a namespaced kind, is missing: the shorter path would
 *   address the whole collection.
 */
export function objectPath(kind: Kind, key: ObjectKey, subresource?: string): string {
  requireNamespace(kind, key.namespace);
  if (!key.name) throw new TypedError('Invalid', `a ${kind.kind} cannot be addressed without a name`);
  const path = `${collectionPath(kind, key.namespace)}/${segment(key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** @throws `Invalid` when a namespaced kind is addressed without a namespace. */
export function requireNamespace(kind: Kind, namespace: string | undefined): void {
  if (kind.namespaced && !namespace) {
    throw new TypedError('Invalid', `a ${kind.kind} cannot be addressed without a namespace`);
  }
}

/** Returns `path` with the entries of `query` that are defined. */
export function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  if (text === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${text}`;
}
