import { TypedError, type Kind, type ObjectKey } from '@interlock/api';

type Query = Record<string, string | number | boolean | undefined>;

/**
 * Returns the path of all kinds of a group version.
 *
 * @throws TypedError `Invalid` like {@link segment}
 */
export function groupPath({ group, version }: Pick<Kind, 'group' | 'version'>): string {
  return group === '' ? `/api/${segment(version)}` : `/apis/${segment(group)}/${segment(version)}`;
}

/** Returns the path of a collection: in one namespace, or in all namespaces if `namespace` is absent. */
export function collectionPath(kind: Kind, namespace: string | undefined): string {
  const plural = segment(kind.plural);
  const scope = kind.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace)}` : '';
  return `${groupPath(kind)}${scope}/${plural}`;
}

/**
 * Returns one part of a path. Names come from objects of users, and `..` would address another object.
 *
 * @throws TypedError `Invalid` for a text that is not a single part of a path
 */
function segment(text: string): string {
  if (text !== '' && text !== '.' && text !== '..') return encodeURIComponent(text);
  throw new TypedError('Invalid', `${JSON.stringify(text)} cannot be part of the path of an object`);
}

/**
 * Returns the path of one object.
 *
 * @throws TypedError `Invalid` when the name, or the namespace of a namespaced kind, is missing: the shorter path would
 *   address the whole collection
 */
export function objectPath(kind: Kind, key: ObjectKey, subresource?: string): string {
  requireNamespace(kind, key.namespace);
  if (!key.name) throw new TypedError('Invalid', `a ${kind.kind} cannot be addressed without a name`);
  const path = `${collectionPath(kind, key.namespace)}/${segment(key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/**
 * Requires a namespace for a namespaced kind.
 *
 * @throws TypedError `Invalid` when it is missing
 */
export function requireNamespace(kind: Kind, namespace: string | undefined): void {
  if (kind.namespaced && !namespace) {
    throw new TypedError('Invalid', `a ${kind.kind} cannot be addressed without a namespace`);
  }
}

/** Returns `path` with the defined entries of `query`. */
export function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  if (text === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${text}`;
}
