import type { KubeObject, ObjectMeta } from '../object.js';
import type { JsonObject } from '../schema/types.js';

/** One stored version of an object. Never changed after it is made: readers share it. */
export class Entry {
  #text: string | undefined;

  constructor(
    /** The collection, such as `configmaps` or `widgets.example.dev`. */
    readonly collection: string,
    /** `namespace/name`, or `name` for what is cluster-scoped. */
    readonly key: string,
    readonly revision: number,
    readonly object: KubeObject,
  ) {}

  /** The object's JSON without `kind` and `apiVersion`, made once and shared by all answers and watches. */
  get body(): string {
    if (this.#text === undefined) {
      const { apiVersion: _apiVersion, kind: _kind, ...rest } = this.object;
      this.#text = JSON.stringify(rest);
    }
    return this.#text;
  }

  /** The namespace, empty for what is cluster-scoped. */
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

/** Returns the object under a revision, its metadata in the order in which the API server prints it. */
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
  /** The new version; for a deletion the last version with the deletion's revision. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
}
