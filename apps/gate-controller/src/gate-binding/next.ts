import type { GateBinding } from '@interlock/api';
import {
  decideRequire,
  type GateDecision,
  type GateReading,
  type NextDecision,
  type Subject,
} from '@interlock/gating';
import type { ObservedGate } from '../gate/engine.js';
import type { GateReader } from '../gate/reader.js';

/**
 * Maximum number of evaluations of gates after the first of each: a change that does not affect the combined state may be
 * followed by many more, and several gates may change at the same time.
 */
const maxEvaluations = 64;

/**
 * Returns the next known change of the combined state of a binding's gates; undefined if there is none. The gates are
 * evaluated at the next change of any of them, and so on, until the combined state differs. A gate keeps its state until its
 * own next change, so the others are not evaluated again.
 *
 * @param gates for each of the refs; undefined if the state is not known
 * @param now milliseconds since the epoch
 */
export function nextOfBinding(
  binding: GateBinding,
  gates: readonly (ObservedGate | undefined)[],
  reader: Pick<GateReader, 'decide'>,
  now: number,
  subject: Subject | undefined,
): NextDecision | undefined {
  const decide = (gate: ObservedGate | undefined, at: number) => gate && reader.decide(gate, at, subject);
  let decisions = gates.map((gate) => decide(gate, now));
  const first = together(binding, decisions);
  for (let evaluations = 0; evaluations < maxEvaluations;) {
    const changes = decisions.flatMap((decision) => decision?.next ?? []).sort((a, b) => a.at - b.at);
    const [change] = changes;
    if (change === undefined) return undefined;
    evaluations += changes.filter(({ at }) => at === change.at).length;
    decisions = decisions.map((decision, index) =>
      decision?.next?.at === change.at ? decide(gates[index], change.at) : decision,
    );
    const state = together(binding, decisions);
    if (state !== first) return { ...change, state };
  }
  return undefined;
}

function together(binding: GateBinding, decisions: readonly (GateDecision | undefined)[]): 'Open' | 'Closed' {
  const readings = binding.spec.refs.map((ref, index): GateReading => ({
    ref,
    state: decisions[index]?.state ?? 'Unknown',
    message: '',
  }));
  return decideRequire(binding.spec, readings).state === 'Open' ? 'Open' : 'Closed';
}
