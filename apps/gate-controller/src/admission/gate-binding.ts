import { keyString, type Gate, type GateBinding, type GateReference } from '@interlock/api';
import { problemsOf, type ObjectProblem } from '@interlock/gating';
import { gateOfRef } from '../caches.js';
import { refusalOf } from '../gate-binding/judge.js';

/** A binding and the gates that its refs name, in the same order; undefined for a gate that does not exist. */
interface ObservedBinding {
  binding: GateBinding;
  gates: readonly (Gate | undefined)[];
}

/** Returns the problems of a binding, by itself and with regard to its gates. */
export function problemsOfBinding({ binding, gates }: ObservedBinding): ObjectProblem[] {
  const refused = binding.spec.refs.flatMap((ref, index): ObjectProblem[] => {
    const gate = gates[index];
    const message = gate === undefined ? undefined : refusalOf(binding, ref, gate);
    if (message === undefined) return [];
    const field = `spec.refs[${index}]`;
    return [{ object: `GateBinding/${binding.metadata.name}`, field, value: nameOf(binding, ref), message }];
  });
  return [...problemsOf(binding), ...refused];
}

/** Returns warnings about parts of a binding that may not have the intended effect. */
export function warningsOfBinding({ binding, gates }: ObservedBinding): string[] {
  return binding.spec.refs.flatMap((ref, index) =>
    gates[index] === undefined
      ? [
          `Gate ${nameOf(binding, ref)} does not exist: the bound objects are held until it exists and is open`,
        ]
      : [],
  );
}

function nameOf(binding: GateBinding, ref: GateReference): string {
  return keyString(gateOfRef(binding, ref));
}
