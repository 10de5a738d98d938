import { conditions, keyOf, type GateBinding } from '@interlock/api';
import type { ConditionInput } from '@interlock/kube';
import { bindsObject, virtualBindingOf, type FluxObject } from '@interlock/gating';
import { joinsOf, label, rootOf } from './graph.js';
import { bindingsNear, type BoundObjects } from './near.js';

const maxNamed = 3;

/**
 * Returns the condition GateSkew if an object of a binding depends on an object that waits for other gates: if the
 * gates open separately, one would proceed without the other.
 */
export function skewOf(binding: GateBinding, gated: BoundObjects): ConditionInput | undefined {
  const { objects } = gated;
  const concerns = (object: FluxObject) =>
    bindsObject(binding, object, objects) || bindsObject(binding, rootOf(object, objects), objects);
  const skewed = joinsOf(objects)
    .filter(({ one, other }) => concerns(one) || concerns(other))
    .map((join) => ({ ...join, first: gatesOf(join.one, gated), second: gatesOf(join.other, gated) }))
    .filter(({ first, second }) => first !== second);
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
