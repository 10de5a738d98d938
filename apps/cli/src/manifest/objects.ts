import { isTyped, type Kind, type KubeObject } from '@interlock/api';
import { loadAll, loadIfAny } from '../load.js';
import type { Session } from '../session.js';

/** Where objects are read from: the cluster, or files. */
export interface Objects {
  /** Nothing has a status that somebody keeps up to date, and what is not there may be elsewhere. */
  isOffline: boolean;
  /** @returns the object; undefined when there is none of this name. */
  one<T extends KubeObject>(kind: Kind<T>, key: { namespace?: string; name: string }): Promise<T | undefined>;
  /** @returns all objects of a kind, in the namespace or everywhere, by name; none when the kind is not served. */
  all<T extends KubeObject>(kind: Kind<T>, namespace?: string): Promise<T[]>;
}

export function clusterObjects(session: Session): Objects {
  return {
    isOffline: false,
    one: (kind, key) => loadIfAny(session, kind, key),
    all: async (kind, namespace) => {
      try {
        return await loadAll(session, kind, namespace === undefined ? {} : { namespace });
      } catch (error) {
        if (isTyped(error, 'NotFound')) return [];
        throw error;
      }
    },
  };
}
