import type { GateOverride } from '@interlock/api';
import type { DecideOptions, Subject } from '@interlock/gating';
import type { BoundTarget } from '../gate-binding/actuator.js';
import { decideObservedGate } from '../gate/engine.js';
import type { ObservedTargets } from './observed.js';
import { isInScope, subjectOf, type TrackedTarget } from './track.js';

/**
 * Returns the bound targets in the scope of an override, and whether the override makes a difference for each of them.
 * Pure.
 *
 * @param now milliseconds since the epoch
 */
export function trackedTargets(
  override: GateOverride,
  { targets: bound, situation, isScoped }: ObservedTargets,
  options: DecideOptions,
  now: number,
): TrackedTarget[] {
  const targets = bound.filter((target) => isInScope(override, target));
  if (situation === undefined) return targets.map((target) => ({ ...target, matters: false }));
  const others = situation.overrides.filter(({ metadata }) => metadata.uid !== override.metadata.uid);
  const without = { ...situation, overrides: others };
  const opens = (subject: Subject | undefined): boolean =>
    decideObservedGate(situation, options, now, subject).state === 'Open' &&
    decideObservedGate(without, options, now, subject).state === 'Closed';
  const forAll = isScoped ? undefined : opens(undefined);
  const forOne = (target: BoundTarget): boolean =>
    [target.revision, ...(target.aliases ?? [])].some((revision) =>
      opens({ ...subjectOf(target), revision }),
    );
  return targets.map((target) => ({ ...target, matters: forAll ?? forOne(target) }));
}
