import { annotations, type Gate, type GateKeeper } from '@interlock/api';
import { canonicalDigest } from '@interlock/base';

/** Returns the digest of a spec, by which its author's stamp is bound to it. */
export function specDigest({ spec = {} }: { spec?: unknown }): string {
  return canonicalDigest(spec);
}

/**
 * Returns the user who wrote the spec of a Gate or a GateKeeper, as admission stamped it; `unverified` for a spec that was
 * written while admission did not answer.
 */
export function authorOf(object: Gate | GateKeeper): string {
  const { [annotations.actor]: actor, [annotations.actorOf]: digest } = object.metadata.annotations ?? {};
  return actor !== undefined && digest === specDigest(object) ? actor : 'unverified';
}
