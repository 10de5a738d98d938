import { conditions, keyOf, type GateBinding } from '@interlock/api';
import type { ConditionInput } from '@interlock/kube';
import { bindsObject, virtualBindingOf, type FluxObject, type FluxObjects } from '@interlock/gating';
import { joinsOf, label, rootOf, type Join } from './graph.js';
import { bindingsNear, type BoundObjects } from './near.js';

const maxNamed = 3;

/** Access to the objects that refer to an object. */
export interface RelatedObjects {
  /** Returns the objects that use a source directly. */
  takersOf(source: FluxObject): readonly FluxObject[];
  /** Returns the objects that depend on an object, or include it. */
  dependentsOf(object: FluxObject): readonly FluxObject[];
}

/**
 * Returns the condition GateSkew if an object of a binding depends on an object that waits for other gates: if the
 * gates open separately, one would proceed without the other. Unrelated objects are not read: a cluster may have thousands, and
 * this is called for each reconcile of a binding.
 *
 * @param targets the objects that the binding applies to
 */
export function skewOf(
  targets: readonly FluxObject[],
  gated: BoundObjects,
  related: RelatedObjects,
): ConditionInput | undefined {
  const { objects } = gated;
  const skewed = joinsNear(targets, objects, related)
    .map((join) => ({ ...join, first: gatesOf(join.one, gated), second: gatesOf(join.other, gated) }))
    .filter(({ first, second }) => first !== second)
    /* An index returns objects in the order of their changes. */
    .sort((a, b) => (a.how < b.how ? -1 : 1));
  if (skewed.length === 0) return undefined;
  const shown = skewed
    .slice(0, maxNamed)
    .map(
      ({ one, other, how, first, second }) =>
        `${how}, but ${label(one)} waits for ${first} and ${label(other)} for ${second}`,
    );
  const more = skewed.length > maxNamed ? `; and ${skewed.length - maxNamed} more` : '';
  const message = `${shown.join('; ')}${more}. Bind both to the same gates`;
  return { type: conditions.gateSkew, status: 'True', reason: 'DifferentGates', message };
}

/** Returns the pairs that contain an object of a binding, or an object that applies from one. */
export function joinsNear(
  targets: readonly FluxObject[],
  objects: Pick<FluxObjects, 'get'>,
  related: RelatedObjects,
): Join[] {
  const concerned = new Set([...targets, ...targets.flatMap((target) => related.takersOf(target))]);
  const joined = new Set([...concerned].flatMap((object) => [object, ...related.dependentsOf(object)]));
  return [...joined]
    .flatMap((one) => joinsOf(one, objects))
    .filter(({ one, other }) => concerned.has(one) || concerned.has(other));
}

/** Returns everything that an object waits for, directly and through its source, in words. */
function gatesOf(object: FluxObject, gated: BoundObjects): string {
  const { objects } = gated;
  const both = [object, rootOf(object, objects)];
  const own = both.flatMap((one) => virtualBindingOf(one)?.binding ?? []);
  const bound = bindingsNear(both, gated).filter((binding) =>
    both.some((one) => bindsObject(binding, one, objects)),
  );
  const all = [...new Set([...bound, ...own].map(requirementOf))].sort();
  return all.length === 0 ? 'no gate' : all.join(' and ');
}

function requirementOf(binding: GateBinding): string {
  const { expr, require = 'all', refs } = binding.spec;
  const { namespace = '' } = keyOf(binding);
  const gates = refs.map((ref) => `${ref.namespace ?? namespace}/${ref.name}`).sort();
  if (expr !== undefined) return `${expr} of ${gates.join(', ')}`;
  if (gates.length === 1) return gates[0] ?? '';
  return `${require === 'all' ? 'all' : 'any'} of ${gates.join(', ')}`;
}
