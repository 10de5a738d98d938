import { type FluxObject, pinField, releaseConfiguration } from '@interlock/gating';
import type { ApplyConfiguration } from '@interlock/kube';
import { holdAnnotations, type Hold } from './hold.js';
import type { HoldMethod } from './hold-method.js';

/**
 * Returns all that this controller wants of an object, for a server-side apply. Without a hold nothing: what only it
 *   wanted goes, and what others want as well stays. The uid goes along, so that no object is made, and none that was
 *   made anew is touched.
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
