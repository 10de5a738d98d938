import type { z } from 'zod';

/** Marks the place of a type of Kubernetes in a schema; `tools/crdgen` fills in the fields of the type. */
export const kubernetesTypeKey = 'x-interlock-kubernetes-type';

/** The types of Kubernetes that a kind of the project can embed. */
export type EmbeddedType = 'PodTemplateSpec' | 'ResourceRequirements';

/**
 * Returns the schema of a field that has a type of Kubernetes: every field of the type is known, and `added` states only what this project
 * demands in addition.
 */
export function embedded<T>(type: EmbeddedType, added: z.ZodType, description: string): z.ZodType<T, T> {
  return added.meta({ ...added.meta(), description, [kubernetesTypeKey]: type }) as unknown as z.ZodType<
    T,
    T
  >;
}
