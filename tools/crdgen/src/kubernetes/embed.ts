import { kubernetesTypeKey, type EmbeddedType } from '@interlock/api';
import type { StructuralSchema } from '../structural.js';
import { kubernetesSchema } from './schema.js';

/**
 * Returns a schema with the fields of every Kubernetes type that it embeds. The requirements that the schema itself
 * states apply in addition.
 */
export function withKubernetesTypes(schema: StructuralSchema): StructuralSchema {
  const { [kubernetesTypeKey]: type, ...own } = schema;
  if (type !== undefined) return merged(kubernetesSchema(type as EmbeddedType), own);
  const properties = schema['properties'] as Record<string, StructuralSchema> | undefined;
  const items = schema['items'] as StructuralSchema | undefined;
  return {
    ...schema,
    ...(properties !== undefined && { properties: mapValues(properties, withKubernetesTypes) }),
    ...(items !== undefined && { items: withKubernetesTypes(items) }),
  };
}

function merged(base: StructuralSchema, added: StructuralSchema): StructuralSchema {
  const properties = added['properties'] as Record<string, StructuralSchema> | undefined;
  const items = added['items'] as StructuralSchema | undefined;
  return {
    ...base,
    ...added,
    // The type determines which fields are required.
    ...(base['required'] !== undefined && { required: base['required'] }),
    ...(properties !== undefined && { properties: mergedProperties(base, properties) }),
    ...(items !== undefined && { items: merged(base['items'] as StructuralSchema, items) }),
  };
}

function mergedProperties(
  base: StructuralSchema,
  added: Record<string, StructuralSchema>,
): Record<string, StructuralSchema> {
  const known = base['properties'] as Record<string, StructuralSchema>;
  const both = mapValues(added, (schema, name) => {
    const field = known[name];
    if (field === undefined) throw new Error(`the Kubernetes type has no field ${name}`);
    return merged(field, schema);
  });
  return { ...known, ...both };
}

function mapValues<T, U>(
  record: Record<string, T>,
  change: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
