import { keyOf, keyString, type GateBinding } from '@interlock/api';
import type { BindingVerdict, Verdict } from '../actuator.js';
import type { Claim } from './claim.js';
import { bindsObject, type FluxObject, type FluxObjects, ownAnnotations } from '@interlock/gating';
import { claimName } from './hold.js';

/** What is known about the bindings of objects. */
export interface KnownBindings {
  bindings: readonly GateBinding[];
  /** What the gates of a binding said last; undefined: nothing yet. */
  verdictOf(binding: GateBinding): BindingVerdict | undefined;
  objects: FluxObjects;
}

/** Returns whether a binding holds objects of Flux, and is not about to go. */
export function holds({ metadata, spec }: GateBinding): boolean {
  return metadata.deletionTimestamp === undefined && (spec.mode === 'Suspend' || spec.mode === 'Pin');
}

/** Returns what all bindings say about an object. @param now milliseconds since the epoch */
export function claimsOn(
  object: FluxObject,
  { bindings, verdictOf, objects }: KnownBindings,
  now: number,
): Claim[] {
  return bindings
    .filter((binding) => holds(binding) && bindsObject(binding, object, objects))
    .map((binding) => claimOf(claimName(keyOf(binding), object), binding, object, verdictOf(binding), now));
}

/**
 * @param problem what is wrong with the annotations; it closes
 * @returns what the annotations of an object say about it.
 */
export function ownClaim(object: FluxObject, problem: string | undefined, verdict: BindingVerdict): Claim {
  const subject = { kind: object.kind, name: object.metadata.name };
  const said: Verdict = problem === undefined ? verdict.of(subject) : { state: 'Closed', message: problem };
  return {
    name: ownAnnotations,
    mode: 'Suspend',
    approved: [],
    verdict: said,
    settled: verdict.mayRelease,
  };
}

function claimOf(
  name: string,
  { spec }: GateBinding,
  object: FluxObject,
  verdict: BindingVerdict | undefined,
  now: number,
): Claim {
  const mode = spec.mode === 'Pin' ? 'Pin' : 'Suspend';
  if (verdict === undefined) return { name, mode, approved: [], settled: false };
  const subject = { kind: object.kind, name: object.metadata.name };
  const said = verdict.of(subject);
  return {
    name,
    mode,
    verdict: said,
    approved: verdict.approvedRevisions(subject),
    settled: verdict.mayRelease && !isOver(verdict, now) && !isOver(said, now),
  };
}

/** Whether the gates say something else since: where one closes as another one opens, the first has to be asked again. */
function isOver({ next }: Verdict, now: number): boolean {
  return next !== undefined && Date.parse(next.at) <= now;
}

/** Returns what a map of bindings knows them by. */
export function bindingKey(binding: GateBinding): string {
  return keyString(keyOf(binding));
}
