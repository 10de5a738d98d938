import { annotations, fluxKinds, type KubeObject } from '@interlock/api';
import * as z from 'zod';

const manifestWithGates = z.object({
  kind: z.enum(fluxKinds),
  spec: z.object({
    gates: z.object({
      require: z.string().optional(),
      refs: z.array(z.union([z.string(), z.object({ name: z.string(), namespace: z.string().optional() })])),
    }),
  }),
});

/** Appliers are not sources, and their annotations have no effect. */
const appliers: readonly string[] = ['Kustomization', 'HelmRelease'];

/**
 * Returns the correct alternative to `spec.gates`, which is part of the gating proposal but not of the schemas of Flux:
 * the API server drops the field silently. Undefined if the manifest does not have it.
 */
export function specGates(manifest: Partial<KubeObject> | null): string | undefined {
  const parsed = manifestWithGates.safeParse(manifest);
  if (!parsed.success) return undefined;
  const { kind, spec } = parsed.data;
  const { require, refs } = spec.gates;
  const what =
    'the schemas of Flux have no spec.gates, so the API server drops the field and nothing would be held';
  const gates = refs.map((ref) => {
    if (typeof ref === 'string') return ref;
    return ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`;
  });
  if (appliers.includes(kind))
    return `${what}; write a GateBinding with scope All that names the ${kind}, with refs ${gates.join(', ')}`;
  const also = require === undefined || require === 'all' ? '' : ` and ${annotations.require}: ${require}`;
  return `${what}; write the annotation ${annotations.gates}: ${gates.join(',')}${also} in metadata.annotations, or a GateBinding`;
}
