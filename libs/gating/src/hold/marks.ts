import { annotations, type KubeObject } from '@interlock/api';
import type { ApplyConfiguration } from '@interlock/kube';
import { isOurs, ownersOf } from './owners.js';

/**
 * The entry for an object's own annotations in the list of bindings that hold it. It is not a valid object name.
 */
export const ownAnnotations = '@annotations';

/** The annotations and fields by which the gate-controller marks a Flux object that it holds. */
export interface HoldMarks {
  /**
   * The bindings that hold the object: `name` in its own namespace, otherwise `namespace/name`; or {@link
   * ownAnnotations}.
   */
  by: readonly string[];
  /** When the hold began, in RFC 3339; empty if that is not known. */
  since: string;
  /** The revision at which the object is held. */
  revision?: string | undefined;
  isSuspended: boolean;
  /** Whether the revision is pinned in `spec.ref`. */
  isPinned: boolean;
}

const fields = {
  suspend: ['f:spec', 'f:suspend'],
  commit: ['f:spec', 'f:ref', 'f:commit'],
  digest: ['f:spec', 'f:ref', 'f:digest'],
} as const;

/**
 * Returns the marks of a hold by the gate-controller, from the annotations and `managedFields`; undefined if there are
 * none.
 */
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
    revision,
    isSuspended,
    isPinned,
  };
}

/**
 * Returns the apply configuration for an object that is not held, which contains no fields.
 *
 * A server-side apply removes the fields that only this field manager set, and keeps fields that others also set. The
 * uid is included so that no object is created, and so that a recreated object of the same name does not change.
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
