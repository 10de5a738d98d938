import type { Claim } from './claim.js';
import type { Hold } from './hold.js';
import { type FluxObject, isOurs, others, pinField } from '@interlock/gating';
import { commonPin, pinnedAt, pinOf } from './revisions.js';

/** By what an object is held. */
export type HoldMethod =
  | { type: 'suspend' }
  /** `branch`: named as well, as the source is on it by default only, and a commit alone would not say so. */
  | { type: 'pin'; pin: string; branch?: string };

/** The branch of a GitRepository that names none (Flux: GitRepository, "Reference"). */
const defaultBranch = 'master';

const suspend: HoldMethod = { type: 'suspend' };

/**
 * @param closed who wants it held, at least one
 * @returns by what to hold an object; undefined: it need not be held, as it is pinned at an approved revision
 *
 * Suspending is the stronger one, and what is left where there is nothing to pin, or the manifest has a pin of its own.
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
