import { ifFound, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import { loadAll, loadAny } from '../load.js';
import type { Session } from '../session.js';

/** The source of objects: the cluster, or files. */
export interface Objects {
  /** Whether objects have no current status, and missing objects may exist elsewhere. */
  isOffline: boolean;
  /** Returns the object; undefined if it does not exist. */
  one<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): Promise<T | undefined>;
  /** Returns all objects of a kind, in the namespace or everywhere, sorted by name; none if the kind is not served. */
  all<T extends KubeObject>(kind: Kind<T>, namespace?: string): Promise<T[]>;
  /** Returns the object of a kind that only the cluster knows; undefined if it does not exist. */
  any(reference: ObjectReference): Promise<KubeObject | undefined>;
}

export interface ObjectReference extends ObjectKey {
  apiVersion: string;
  kind: string;
}

export function clusterObjects(session: Session): Objects {
  return {
    isOffline: false,
    one: (kind, key) => ifFound(session.client.get(kind, key, { signal: session.signal })),
    all: async (kind, namespace) =>
      (await ifFound(loadAll(session, kind, namespace === undefined ? {} : { namespace }))) ?? [],
    any: (reference) => ifFound(loadAny(session, reference)),
  };
}
