import { annotations, fluxKinds, type KubeObject } from '@interlock/api';
import { z } from 'zod';

const manifestWithGates = z.object({
  kind: z.enum(fluxKinds),
  spec: z.object({
    gates: z.object({
      require: z.string().optional(),
      refs: z.array(z.union([z.string(), z.object({ name: z.string(), namespace: z.string().optional() })])),
    }),
  }),
});

/** Appliers are not sources, and their annotations count for nothing. */
const appliers: readonly string[] = ['Kustomization', 'HelmRelease'];

/**
 * Returns what to write instead of `spec.gates`, which the gating proposal has and the schema of Flux does not: the API server
 * drops it without a word. Undefined: the manifest has none.
 */
export function specGates(manifest: Partial<KubeObject> | null): string | undefined {
  const parsed = manifestWithGates.safeParse(manifest);
  if (!parsed.success) return undefined;
  const { kind, spec } = parsed.data;
  const { require, refs } = spec.gates;
  const what = "Flux' schema has no spec.gates, and the API server drops it: nothing would be held";
  const gates = refs.map((ref) => {
    if (typeof ref === 'string') return ref;
    return ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`;
  });
  if (appliers.includes(kind))
    return `${what}; write a GateBinding with scope All that names the ${kind}, with refs ${gates.join(', ')}`;
  const also = require === undefined || require === 'all' ? '' : ` and ${annotations.require}: ${require}`;
  return `${what}; write the annotation ${annotations.gates}: ${gates.join(',')}${also} in metadata.annotations, or a GateBinding`;
}
