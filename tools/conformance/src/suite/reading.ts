import type { Answer } from './api.js';
import type { Body } from './body.js';
import { configMap } from './objects.js';
import type { Scope } from './scope.js';

/** `Accept` values for which the API server transforms its answers. */
export const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';
export const asMetadata = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
export const asMetadataList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

/** Returns the names of the items of a list, in their order. */
export function namesOf({ items }: Body): string[] {
  return items.map(({ metadata }) => metadata.name);
}

/** Returns the field of each cause in a Status. */
export function causeFieldsOf({ details }: Body): (string | undefined)[] {
  return (details?.causes ?? []).map(({ field }) => field);
}

/**
 * Creates an object. @returns the object in the answer of the server. @throws Error with the answer when the server
 * refuses.
 */
export async function create(scope: Scope, collection: string, object: unknown): Promise<Body> {
  return accepted(await scope.api.post(collection, object), 201);
}

/** Returns the body of an answer. @throws Error with the answer if its status differs from the expected one. */
export function accepted({ status, body, text }: Answer, expected = 200): Body {
  if (status !== expected) throw new Error(`the server answers ${status} instead of ${expected}: ${text}`);
  return body;
}

/**
 * Returns whether a resourceVersion is newer than another one of the same resource (KEP-5504: they compare as numbers).
 */
export function isNewer(version: string, than: string): boolean {
  return BigInt(version) > BigInt(than);
}

/**
 * Creates ConfigMaps that share a label, so that a case can list only its own.
 *
 * @param labels additional labels of each one
 * @returns a label selector for them, and their names in the order of the labels
 */
export async function createSet(
  scope: Scope,
  labels: readonly Readonly<Record<string, string>>[],
): Promise<{ labelSelector: string; names: string[]; objects: Body[] }> {
  const set = scope.name('set');
  const objects: Body[] = [];
  for (const [index, own] of labels.entries()) {
    const object = configMap(`${set}-${index}`, { index: `${index}` }, { labels: { set, ...own } });
    objects.push(await create(scope, scope.core('configmaps'), object));
  }
  return { labelSelector: `set=${set}`, names: objects.map(({ metadata }) => metadata.name), objects };
}
