import { annotations, type KubeObject } from '@interlock/api';
import type { ApplyConfiguration } from '@interlock/kube';
import { isOurs, ownersOf } from './owners.js';

/** How an object's own annotations appear among those that hold it. No name of an object looks so. */
export const ownAnnotations = '@annotations';

/** What the gate controller has left on an object of Flux that it holds. */
export interface HoldMarks {
  /** The bindings that hold it: `name` in the namespace of the object, else `namespace/name`; or {@link ownAnnotations}. */
  by: readonly string[];
  /** RFC 3339; empty where it is not known. */
  since: string;
  /** The revision at which it is held. */
  revision?: string;
  isSuspended: boolean;
  /** The revision is pinned in `spec.ref`. */
  isPinned: boolean;
}

const fields = {
  suspend: ['f:spec', 'f:suspend'],
  commit: ['f:spec', 'f:ref', 'f:commit'],
  digest: ['f:spec', 'f:ref', 'f:digest'],
} as const;

/** Returns the marks of a hold by the gate controller, from the annotations and `managedFields`; undefined: none. */
export function holdMarksOf({ metadata }: KubeObject): HoldMarks | undefined {
  const notes = metadata.annotations ?? {};
  const owns = (field: keyof typeof fields) => isOurs(ownersOf(metadata.managedFields, fields[field]));
  const by = notes[annotations.heldBy];
  const [isSuspended, isPinned] = [owns('suspend'), owns('commit') || owns('digest')];
  if (by === undefined && !isSuspended && !isPinned) return undefined;
  const revision = notes[annotations.heldRevision];
  return {
    by: (by ?? '').split(',').filter((name) => name !== ''),
    since: notes[annotations.heldSince] ?? '',
    ...(revision !== undefined && { revision }),
    isSuspended,
    isPinned,
  };
}

/**
 * Returns what the gate controller applies to an object that it does not hold: nothing. A server-side apply by its field
 * manager removes what only that manager set, and leaves what others set as well. The uid goes along, so that no object
 * is created, and none is changed that was created again under the same name.
 */
export function releaseConfiguration({ apiVersion, kind, metadata }: KubeObject): ApplyConfiguration {
  const { name, namespace, uid } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
    },
  };
}
