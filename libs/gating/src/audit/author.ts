import { annotations, type Gate, type GateKeeper } from '@interlock/api';
import { canonicalDigest } from '@interlock/base';

/** Returns the digest of a spec, which binds the stamp of its author to it. */
export function specDigest({ spec = {} }: { spec?: unknown }): string {
  return canonicalDigest(spec);
}

/**
 * Returns the user who wrote the spec of a Gate or a GateKeeper, as stamped by admission; `unverified` for a spec that
 * was written while admission was unavailable.
 */
export function authorOf(object: Gate | GateKeeper): string {
  const { [annotations.actor]: actor, [annotations.actorOf]: digest } = object.metadata.annotations ?? {};
  return actor !== undefined && digest === specDigest(object) ? actor : 'unverified';
}
