import type { Claim } from './claim.js';
import type { Hold } from './hold.js';
import { type FluxObject, isOurs, others, pinField } from '@interlock/gating';
import { commonPin, pinnedAt, pinOf } from './revisions.js';

/** How an object is held. */
export type HoldMethod =
  | { type: 'suspend' }
  /** `branch` is set as well if the source only uses the default branch, because a commit alone would not name the branch. */
  | { type: 'pin'; pin: string; branch?: string };

/** The branch of a GitRepository that does not name one (Flux: GitRepository, "Reference"). */
const defaultBranch = 'master';

const suspend: HoldMethod = { type: 'suspend' };

/**
 * Returns how to hold an object; undefined if it need not be held, because it is pinned at an approved revision.
 *
 * Suspending takes precedence, and is used if the object cannot be pinned or the manifest has its own pin.
 *
 * @param closed the claims that require a hold, at least one
 */
export function holdMethodOf(
  object: FluxObject,
  hold: Hold | undefined,
  closed: readonly Claim[],
): HoldMethod | undefined {
  const { kind, owners, status } = object;
  if (pinField(kind) === undefined || closed.some(({ mode }) => mode === 'Suspend')) return suspend;
  const lists = closed.map(({ approved }) => approved);
  if (others(owners.pin).length > 0) {
    const wanted = pinOf(kind, pinnedAt(object));
    const approved =
      wanted !== undefined && lists.every((list) => commonPin(kind, [[wanted], list]) === wanted);
    return approved ? undefined : suspend;
  }
  const current = isOurs(owners.pin) ? pinnedAt(object) : pinOf(kind, hold?.revision ?? status.revision);
  const pin = commonPin(kind, lists) ?? current;
  if (pin === undefined) return suspend;
  return { type: 'pin', pin, ...(needsBranch(object) && { branch: defaultBranch }) };
}

function needsBranch({ kind, spec, owners }: FluxObject): boolean {
  if (kind !== 'GitRepository') return false;
  const { branch, name, tag, semver } = spec.ref ?? {};
  if (branch !== undefined && isOurs(owners.branch)) return others(owners.branch).length === 0;
  return [branch, name, tag, semver].every((value) => value === undefined);
}
