import { fieldManagers, isTyped } from '@interlock/api';
import { flux, type FluxObject } from '@interlock/gating';
import type { Client, ReconcileContext } from '@interlock/kube';
import { configurationOf } from './configuration.js';
import type { HoldDecision } from './decide.js';
import type { HoldFailures } from './failures.js';
import type { HoldGuards } from './guards.js';
import type { ObservedHold } from './observed.js';

export interface HoldActors {
  client: Pick<Client, 'apply'>;
  guards: Pick<HoldGuards, 'begin' | 'written'>;
  failures: Pick<HoldFailures, 'clear' | 'record'>;
  /** Reconciles an object again as soon as the cache shows the last write. */
  recheck(object: FluxObject): void;
}

/**
 * How writing a hold ended.
 *
 * - `applied`: the object has been written, or is gone.
 * - `waiting`: it cannot be written yet, because a finalizer or the state of a gate is missing.
 * - `untouched`: there was nothing to write.
 */
export type HoldOutcome = 'applied' | 'waiting' | 'untouched';

/**
 * Writes or removes the hold of an object.
 *
 * @throws ApiError
 */
export async function actOnHold(
  { client, guards, failures, recheck }: HoldActors,
  { object }: ObservedHold,
  decision: HoldDecision,
  { signal }: Pick<ReconcileContext, 'signal'>,
): Promise<HoldOutcome> {
  if (decision.type !== 'hold' && decision.type !== 'release') {
    failures.clear(object);
    return decision.type === 'wait' ? 'waiting' : 'untouched';
  }
  if (decision.type === 'hold' && !guards.begin(object, decision.hold.by)) return 'waiting';
  const configuration = configurationOf(object, decision.type === 'hold' ? decision : undefined);
  /* The fields of a hold are recognized by this name. */
  const options = { fieldManager: fieldManagers.gateController, signal };
  try {
    await client.apply(flux[object.kind], configuration, options);
    failures.clear(object);
  } catch (error) {
    if (isGone(error)) return 'applied';
    failures.record(object, decision, error);
    throw error;
  } finally {
    guards.written(object);
    if (decision.type === 'hold') recheck(object);
  }
  return 'applied';
}

/**
 * Returns whether the object is gone or another object has its name: there is nothing to hold, or an event will trigger a
 * reconcile.
 */
function isGone(error: unknown): boolean {
  return isTyped(error, 'NotFound', 'Conflict') && error.reason !== 'LeadershipLost';
}
