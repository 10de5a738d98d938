import { timestampOf, type NextChange } from '@interlock/api';
import {
  authorOf,
  judgeOverrides,
  type AuditEntry,
  type DecideOptions,
  type GateDecision,
  type OverrideState,
} from '@interlock/gating';
import type { BoundTarget } from '../gate-binding/actuator.js';
import type { GateSituation } from './observed.js';

const maxTargets = 20;

/**
 * Returns the record of a change of the state; undefined if there is no change. The first state of a gate is a change
 * too.
 *
 * The actor is the author of the override that decides now, or of the Close that ended the previous decider; otherwise
 * the user who wrote the deciding spec. No actor is recorded if the previous decider was deleted: admission logs the user
 * who deleted it.
 */
export function transitionOf(
  situation: GateSituation,
  { state, cause, since }: GateDecision,
  next: NextChange | undefined,
  now: number,
  options: DecideOptions,
): AuditEntry | undefined {
  const { gate, overrides, targets } = situation;
  const before = gate.status;
  if (before?.state === state) return undefined;
  const judged = judgeOverrides(now, gate, overrides, options);
  const behind = named(judged, cause) ?? closeThatEnded(judged, before?.cause);
  const gone = behind === undefined ? goneCause(situation) : undefined;
  const { reason = gone && `${gone} was deleted`, ticket } = behind?.override.spec ?? {};
  const actor = behind?.actor ?? (gone === undefined ? authorOfCause(situation, cause, options) : undefined);
  return {
    at: timestampOf(now),
    since: timestampOf(since),
    ...(before?.state !== undefined && { from: before.state }),
    to: state,
    cause,
    ...(actor !== undefined && { actor }),
    ...(reason !== undefined && { reason }),
    ...(ticket !== undefined && { ticket }),
    ...(targets.length > 0 && { targets: targets.slice(0, maxTargets).map(asRecorded) }),
    targetCount: targets.length,
    ...(next && { next }),
  };
}

/** Returns who wrote the deciding spec; undefined if admission does not stamp specs. */
function authorOfCause(
  { gate, keepers }: GateSituation,
  cause: string,
  { stamps }: DecideOptions,
): string | undefined {
  if (stamps !== 'required') return undefined;
  const decisive =
    cause === 'Default'
      ? gate
      : keepers.find(({ keeper }) => cause === `GateKeeper/${keeper.metadata.name}`)?.keeper;
  return decisive && authorOf(decisive);
}

/**
 * Returns the keeper or the override that decided before and no longer exists; undefined if there is none. A gate that
 * was closed because a keeper was invalid or unknown lists its keepers in the contributions.
 */
function goneCause({ gate: { status }, keepers, overrides }: GateSituation): string | undefined {
  const present = new Set([
    ...keepers.map(({ keeper }) => `GateKeeper/${keeper.metadata.name}`),
    ...overrides.map(({ metadata }) => `GateOverride/${metadata.name}`),
  ]);
  const { cause = '', contributions = [] } = status ?? {};
  const isOfKeepers = cause === 'Invalid' || cause === 'FailurePolicy';
  const decisive = isOfKeepers
    ? contributions.map(({ source }) => source).filter((source) => source.startsWith('GateKeeper/'))
    : [cause];
  return decisive.find((one) => one.includes('/') && !present.has(one));
}

function named(judged: readonly OverrideState[], cause: string | undefined): OverrideState | undefined {
  return judged.find(({ override }) => cause === `GateOverride/${override.metadata.name}`);
}

/** Returns the Close that ended the override which decided before, if there is one. */
function closeThatEnded(
  judged: readonly OverrideState[],
  cause: string | undefined,
): OverrideState | undefined {
  const before = named(judged, cause);
  if (before?.phase !== 'Ended' || before.override.spec.effect !== 'Open') return undefined;
  /* A recorded end is in whole seconds. */
  const end = timestampOf(before.endsAt ?? 0);
  return judged.find(
    ({ override, requestedAt, phase }) =>
      override.spec.effect === 'Close' && phase !== 'Rejected' && timestampOf(requestedAt) === end,
  );
}

function asRecorded({ kind, namespace, name, revision }: BoundTarget) {
  return { kind, namespace, name, ...(revision !== undefined && { revision }) };
}
