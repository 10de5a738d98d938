import { keyOf, keyString, type GateBinding } from '@interlock/api';
import type { BindingVerdict, Verdict } from '../actuator.js';
import type { Claim } from './claim.js';
import { bindsObject, type FluxObject, ownAnnotations } from '@interlock/gating';
import { claimName } from './hold.js';
import { bindingsNear, type BoundObjects } from './near.js';

/** Access to the bindings of objects and their verdicts. */
export interface KnownBindings extends BoundObjects {
  /** Returns the last verdict of the gates of a binding; undefined if there is none yet. */
  verdictOf(binding: GateBinding): BindingVerdict | undefined;
}

/** Returns whether a binding holds Flux objects and is not being deleted. */
function holds({ metadata, spec }: GateBinding): boolean {
  return metadata.deletionTimestamp === undefined && (spec.mode === 'Suspend' || spec.mode === 'Pin');
}

/**
 * Returns the claims of all bindings on an object.
 *
 * @param now milliseconds since the epoch
 */
export function claimsOn(object: FluxObject, known: KnownBindings, now: number): Claim[] {
  const { verdictOf, objects } = known;
  return bindingsNear([object], known)
    .filter((binding) => holds(binding) && bindsObject(binding, object, objects))
    .map((binding) => claimOf(claimName(keyOf(binding), object), binding, object, verdictOf(binding), now));
}

/**
 * Returns the claim of the annotations of an object.
 *
 * @param problem an error in the annotations, which closes the claim
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

/**
 * Returns whether a change of the verdict is due: if one gate closes while another one opens, the first must be evaluated
 * again.
 */
function isOver({ next }: Verdict, now: number): boolean {
  return next !== undefined && Date.parse(next.at) <= now;
}

/** Returns the key of a binding in maps. */
export function bindingKey(binding: GateBinding): string {
  return keyString(keyOf(binding));
}
