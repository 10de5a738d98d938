import { timestampOf } from '@interlock/api';
import { semanticEqual, truncate } from '@interlock/base';
import { closedClaims, type Claim } from './claim.js';
import { holdAnnotations, holdOf, type Hold } from './hold.js';
import { holdMethodOf, type HoldMethod } from './hold-method.js';
import { type FieldOwner, type FluxObject, isOurs, others, writesManifests } from '@interlock/gating';
import { pinnedAt, pinOf, revisionAt } from './revisions.js';

const maxReasonLength = 1_000;

interface Warning {
  reason: 'Resumed' | 'Conflict';
  note: string;
}

/** The decision about one object. */
export type HoldDecision =
  /** Nothing to do: no claim requires a hold, and the object is not held. */
  | { type: 'free' }
  /** Nothing to do: the object is held as required. */
  | { type: 'held' }
  /** Nothing to do yet: the object is held, and it is not known whether it still must be. */
  | { type: 'wait' }
  /** Writes the hold: a first hold, the same hold again, or a different hold. */
  | { type: 'hold'; hold: Hold; method: HoldMethod; warning?: Warning | undefined }
  /** Removes all fields of the hold. Fields that others set as well stay. */
  | { type: 'release' };

/**
 * Decides about one object from all claims on it. Pure; all knowledge of the past is in the object itself, so that the
 * decision is the same after a restart.
 *
 * @param mayRelease false until all gates have been evaluated after a start
 * @param now milliseconds since the epoch
 */
export function decideHold(
  object: FluxObject,
  claims: readonly Claim[],
  mayRelease: boolean,
  now: number,
): HoldDecision {
  if (object.metadata.deletionTimestamp !== undefined) return { type: 'free' };
  const hold = holdOf(object);
  const closed = closedClaims(claims);
  const method = closed.length === 0 ? undefined : holdMethodOf(object, hold, closed);
  if (method === undefined) {
    if (hold === undefined) return { type: 'free' };
    return mayRelease && claims.every(({ settled }) => settled) ? { type: 'release' } : { type: 'wait' };
  }
  const opponent = opponentOf(object, hold);
  const manifest = opponent !== undefined && opponent !== 'unknown' && writesManifests(opponent);
  const against = manifest ? { manager: opponent.manager, at: timestampOf(now) } : hold?.against;
  const wanted: Hold = {
    by: closed.map(({ name }) => name),
    since: hold?.since || timestampOf(now),
    reason: reasonOf(closed),
    ...revision(object, hold, method),
    against,
  };
  if (opponent === undefined && isInForce(object, method) && sameHold(object, wanted))
    return { type: 'held' };
  const warning = opponent && warningOf(opponent, object);
  return { type: 'hold', hold: wanted, method, warning };
}

function reasonOf(closed: readonly Claim[]): string {
  const reason = closed.map(({ name, verdict }) => `${name}: ${verdict?.message ?? ''}`).join('; ');
  return truncate(reason, maxReasonLength);
}

/* A fetch in progress ends before the source has observed the hold: the revision is valid from then on. */
function revision(object: FluxObject, hold: Hold | undefined, method: HoldMethod): { revision?: string } {
  if (method.type === 'pin') return { revision: revisionAt(object, method.pin) };
  const { revision } = object.status;
  const known = hold?.revision !== undefined && !isConfirmed(object) ? hold.revision : revision;
  return known === undefined ? {} : { revision: known };
}

/**
 * Returns whether the controller of an object has observed the current spec, so that it is not acting on an older spec.
 */
export function isConfirmed({ metadata, status }: FluxObject): boolean {
  return metadata.generation !== undefined && status.observedGeneration === metadata.generation;
}

function isInForce(object: FluxObject, method: HoldMethod): boolean {
  const { spec, owners } = object;
  if (method.type === 'suspend')
    return spec.suspend === true && isOurs(owners.suspend) && !isOurs(owners.pin);
  return pinnedAt(object) === method.pin && isOurs(owners.pin) && !isOurs(owners.suspend);
}

function sameHold(object: FluxObject, wanted: Hold): boolean {
  const hold = holdOf(object);
  return hold !== undefined && semanticEqual(holdAnnotations(hold), holdAnnotations(wanted));
}

/**
 * Returns the manager that undid a hold, or will undo it when its manifest is applied next; `unknown` because the API
 * server does not record who removes a field.
 */
function opponentOf(object: FluxObject, hold: Hold | undefined): FieldOwner | 'unknown' | undefined {
  const { kind, spec, owners } = object;
  const resumers = spec.suspend === false ? others(owners.suspend) : [];
  if (hold === undefined || hold.by.length === 0) return resumers.find(writesManifests);
  if (spec.suspend === true || isOurs(owners.pin)) return undefined;
  const moved = pinnedAt(object) !== pinOf(kind, hold.revision) ? others(owners.pin) : [];
  return resumers[0] ?? moved[0] ?? 'unknown';
}

function warningOf(opponent: FieldOwner | 'unknown', { spec }: FluxObject): Warning {
  if (opponent === 'unknown') {
    const note =
      'the hold was removed while gates are closed (the API server does not record who removes a field); the object is held again. To let it through, open the gate';
    return { reason: 'Resumed', note };
  }
  const { manager } = opponent;
  const field = spec.suspend === false ? 'spec.suspend to false' : 'another pin in spec.ref';
  if (writesManifests(opponent)) {
    const note = `the manifest that ${manager} applies sets ${field}, which undoes the hold each time; remove the field from the manifest`;
    return { reason: 'Conflict', note };
  }
  const note = `${manager} set ${field} while gates are closed; the object is held again. To let it through, open the gate`;
  return { reason: 'Resumed', note };
}
