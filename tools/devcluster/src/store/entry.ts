import type { KubeObject, ObjectMeta } from '../object.js';
import type { JsonObject } from '../schema/types.js';

/** A stored version of an object. It is immutable, because readers share it. */
export class Entry {
  #text: string | undefined;

  constructor(
    /** The collection, such as `configmaps` or `widgets.example.dev`. */
    readonly collection: string,
    /** `namespace/name`, or `name` for cluster-scoped objects. */
    readonly key: string,
    readonly revision: number,
    readonly object: KubeObject,
  ) {}

  /** The object's JSON without `kind` and `apiVersion`, created once and shared by all responses and watches. */
  get body(): string {
    if (this.#text === undefined) {
      const { apiVersion: _apiVersion, kind: _kind, ...rest } = this.object;
      this.#text = JSON.stringify(rest);
    }
    return this.#text;
  }

  /** The namespace, or empty for cluster-scoped objects. */
  get namespace(): string {
    return this.object.metadata.namespace ?? '';
  }
}

const first = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

/** Returns the object with a revision, with its metadata in the order of the API server. */
export function atRevision(object: KubeObject, revision: number): KubeObject {
  const given: JsonObject = { ...object.metadata, resourceVersion: String(revision) };
  const metadata: JsonObject = {};
  for (const key of first) {
    const value = given[key];
    if (value !== undefined) metadata[key] = value;
  }
  Object.assign(metadata, given);
  return { ...object, metadata: metadata as ObjectMeta };
}

/** Returns the key of an object inside its collection. */
export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** A change of an object. `revision` is global, strictly increasing and equal to the entry's. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** The new version; for a deletion, the last version with the revision of the deletion. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
}
