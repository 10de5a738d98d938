import type { z } from 'zod';

/** Marks where a schema embeds a Kubernetes type; `tools/crdgen` fills in the fields of the type. */
export const kubernetesTypeKey = 'x-interlock-kubernetes-type';

/** The Kubernetes types that a kind of the project can embed. */
export type EmbeddedType = 'PodTemplateSpec' | 'ResourceRequirements';

/**
 * Returns the schema of a field with a Kubernetes type. It has every field of the type; `added` states only the
 * additional requirements of this project.
 */
export function embedded<T>(type: EmbeddedType, added: z.ZodType, description: string): z.ZodType<T, T> {
  return added.meta({ ...added.meta(), description, [kubernetesTypeKey]: type }) as unknown as z.ZodType<
    T,
    T
  >;
}
