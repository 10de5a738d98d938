import { type FluxObject, pinField, releaseConfiguration } from '@interlock/gating';
import type { ApplyConfiguration } from '@interlock/kube';
import { holdAnnotations, type Hold } from './hold.js';
import type { HoldMethod } from './hold-method.js';

/**
 * Returns the fields that this controller applies to an object by server-side apply. Without a hold there are none:
 * fields that only this controller set are removed, and fields that others set as well stay. The uid is included so
 * that no object is created, and no recreated object is changed.
 */
export function configurationOf(
  object: FluxObject,
  wanted?: { hold: Hold; method: HoldMethod },
): ApplyConfiguration {
  const released = releaseConfiguration(object);
  if (wanted === undefined) return released;
  return {
    ...released,
    metadata: { ...released.metadata, annotations: holdAnnotations(wanted.hold) },
    spec: specOf(object, wanted.method),
  };
}

function specOf({ kind }: FluxObject, method: HoldMethod): object {
  if (method.type === 'suspend') return { suspend: true };
  const { pin, branch } = method;
  return { ref: { [pinField(kind) ?? 'commit']: pin, ...(branch !== undefined && { branch }) } };
}
