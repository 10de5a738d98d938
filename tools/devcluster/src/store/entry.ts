import type { KubeObject } from '../object.js';

/** One stored version of an object. Never changed after it is made: readers share it. */
export class Entry {
  private text: string | undefined;

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
    if (this.text === undefined) {
      const { apiVersion: _apiVersion, kind: _kind, ...rest } = this.object;
      this.text = JSON.stringify(rest);
    }
    return this.text;
  }

  /** The namespace, empty for what is cluster-scoped. */
  get namespace(): string {
    return this.object.metadata.namespace ?? '';
  }
}

/** The key of an object inside its collection. */
export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** A change of one object. `revision` is global, strictly increasing and equal to the entry's. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** The new version; for a deletion the last version with the deletion's revision. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
}
