import type { GateOverride, GateOverrideStatus } from '@interlock/api';
import { revisionMatches } from '@interlock/gating';
import type { BoundTarget } from '../gate-binding/actuator.js';

/** A target of an override, and whether the override makes a difference for it: without it the target would be held. */
export interface TrackedTarget extends BoundTarget {
  matters: boolean;
}

export interface Tracking {
  waiting: NonNullable<GateOverrideStatus['waiting']>;
  released: NonNullable<GateOverrideStatus['released']>;
  /** Whether each target that is tracked has taken a new revision. */
  spent: boolean;
  /** Number of targets beyond the limit, which are not tracked. */
  untracked: number;
}

/** Bounds the size of the status. */
const maxTracked = 256;

/**
 * Returns what an override with `once` has let through. While it makes no difference, the revisions that a target takes
 * do not count, and counting begins with the revision that the target has then. Pure.
 *
 * @param targets the current bound objects in the scope of the override
 */
export function track({ spec, status }: GateOverride, targets: readonly TrackedTarget[]): Tracking {
  const released = [...(status?.released ?? [])];
  const waiting: Tracking['waiting'] = [];
  for (const target of targets.slice(0, maxTracked)) {
    if (released.some((one) => isSame(one, target))) continue;
    const before = status?.waiting?.find((one) => isSame(one, target));
    const tookNew =
      before !== undefined &&
      target.matters &&
      target.revision !== undefined &&
      target.revision !== before.revision &&
      isMeant(spec.revisions, target);
    if (tookNew) released.push(asTracked(target));
    else waiting.push(target.matters && before !== undefined ? before : asTracked(target));
  }
  return {
    waiting,
    released: released.slice(0, maxTracked),
    spent: released.length > 0 && waiting.length === 0,
    untracked: Math.max(0, targets.length - maxTracked),
  };
}

function isSame(
  a: { kind: string; name: string; namespace?: string | undefined },
  b: { kind: string; name: string; namespace?: string | undefined },
): boolean {
  return a.kind === b.kind && a.name === b.name && a.namespace === b.namespace;
}

function isMeant(revisions: readonly string[] | undefined, { revision, aliases = [] }: BoundTarget): boolean {
  if (revisions === undefined) return true;
  const names = revision === undefined ? aliases : [revision, ...aliases];
  return revisions.some((approved) => names.some((name) => revisionMatches(approved, name)));
}

function asTracked({ kind, name, namespace, revision }: BoundTarget): Tracking['waiting'][number] {
  return { kind, name, namespace, ...(revision !== undefined && { revision }) };
}

/** Returns the object by which overrides refer to a target. */
export function subjectOf({ kind, name, subject }: BoundTarget): { kind: string; name: string } {
  return subject ?? { kind, name };
}

/** Returns whether a target is in the scope of an override. */
export function isInScope({ spec }: GateOverride, target: BoundTarget): boolean {
  const { kind, name } = subjectOf(target);
  return spec.targets === undefined || spec.targets.some((one) => one.kind === kind && one.name === name);
}
