import { conditions } from '@interlock/api';
import type { FluxObject } from '@interlock/gating';
import type { ConditionInput } from '@interlock/kube';
import { label } from './graph.js';
import { holdOf } from './hold.js';

const maxNamed = 3;

/** Returns the condition `Conflict`; undefined if no manifest undoes a hold. */
export function conflictOf(targets: readonly FluxObject[]): ConditionInput | undefined {
  const opposed = targets.flatMap((object) => {
    const manager = holdOf(object)?.against?.manager;
    return manager === undefined ? [] : [`${label(object)} (${manager})`];
  });
  if (opposed.length === 0) return undefined;
  const rest = opposed.length > maxNamed ? ` and ${opposed.length - maxNamed} more` : '';
  const message = `a manifest sets spec.suspend or another pin on ${opposed.slice(0, maxNamed).join(', ')}${rest}, and undoes the hold whenever it is applied; remove the field from the manifest`;
  return { type: conditions.conflict, status: 'True', reason: 'SetByManifest', message };
}
