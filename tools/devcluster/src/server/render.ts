import { wrongShape } from '../api/api-error.js';
import type { KubeObject } from '../object.js';
import { apiVersionOf, fromStorage, type Resource } from '../registry/resource.js';
import type { JsonObject } from '../schema/types.js';
import type { Entry } from '../store/entry.js';
import { tableOf } from '../table/table.js';
import type { Format } from './negotiate.js';

const converted = new WeakMap<Entry, WeakMap<Resource, string>>();

/** Returns the JSON of an object without kind and version, shared by all responses with this version. */
function bodyOf(resource: Resource, entry: Entry): string {
  if (resource.conversion === undefined) return entry.body;
  const object = fromStorage(resource, entry.object);
  if (object === entry.object) return entry.body;
  const versions = converted.get(entry) ?? new WeakMap<Resource, string>();
  converted.set(entry, versions);
  let body = versions.get(resource);
  if (body === undefined) {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
    body = JSON.stringify(rest);
    versions.set(resource, body);
  }
  return body;
}

/** Returns the JSON of a stored object in the version of the resource. */
export function entryJson(resource: Resource, entry: Entry): string {
  const { kind } = resource;
  return `${JSON.stringify({ kind, apiVersion: apiVersionOf(resource) }).slice(0, -1)},${bodyOf(resource, entry).slice(1)}`;
}

/** Returns the JSON of a stored object as an item of a list: items of built-in kinds omit kind and version. */
export function itemJson(resource: Resource, entry: Entry): string {
  return resource.custom ? entryJson(resource, entry) : bodyOf(resource, entry);
}

/** Returns a `meta.k8s.io/v1` PartialObjectMetadata. */
export function partial({ metadata }: KubeObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

/** Returns an object in the requested form. Throws a 406 for the form of a list. */
export function renderObject(
  resource: Resource,
  object: KubeObject,
  as: Format['as'],
  options: { now: Date; includeObject: string | null; headers?: boolean },
): JsonObject {
  if (as === 'partial') return partial(object);
  if (as === 'partialList') {
    const what = `${object.apiVersion} ${object.kind}`;
    throw wrongShape(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${what})`,
    );
  }
  if (as === 'object') return object;
  const { resourceVersion } = object.metadata;
  return tableOf(resource, [object], resourceVersion === undefined ? {} : { resourceVersion }, options);
}
