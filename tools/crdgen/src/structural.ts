import * as z from 'zod';

/** A structural schema: JSON Schema as CustomResourceDefinitions allow it. */
export type StructuralSchema = Record<string, unknown>;

/* zod states the range of a safe integer if a schema states no bound; the API server supports int64. */
const safeIntegerBounds = new Set([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);
/* A structural schema must not contain these; the API server prunes unknown fields instead. */
const dropped = new Set(['$schema', 'additionalItems', 'propertyNames']);
const dateTimeFormat = 'date-time';

/**
 * Returns the structural schema of a zod schema.
 *
 * Source of the rules: Kubernetes documentation, "Specifying a structural schema".
 *
 * @throws Error that names the path, for constructs that a CustomResourceDefinition does not support (unions of types,
 *   lookaheads)
 */
export function structuralSchema(schema: z.ZodType, path: string): StructuralSchema {
  const json = z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', reused: 'inline' });
  return convert(json as Record<string, unknown>, path);
}

function convert(node: Record<string, unknown>, path: string): StructuralSchema {
  for (const keyword of ['oneOf', 'anyOf', 'allOf', 'not', '$ref']) {
    if (node[keyword] !== undefined) throw new Error(`${path}: ${keyword} is not structural`);
  }
  const result: StructuralSchema = {};
  for (const [key, value] of Object.entries(node)) {
    if (dropped.has(key) || value === undefined) continue;
    if (safeIntegerBounds.has(value as number)) continue;
    if (key === 'pattern') {
      if (node['format'] === dateTimeFormat) continue;
      if (/\(\?[=!<]/.test(value as string)) throw new Error(`${path}: RE2 has no lookaround`);
    }
    if (key === 'additionalProperties') {
      const additional = convertAdditional(node, value, path);
      if (additional !== undefined) result[key] = additional;
      continue;
    }
    result[key] = convertKeyword(key, value, path);
  }
  return result;
}

function convertKeyword(key: string, value: unknown, path: string): unknown {
  if (key === 'properties') {
    return Object.fromEntries(
      Object.entries(value as Record<string, Record<string, unknown>>).map(([name, child]) => [
        name,
        convert(child, `${path}.${name}`),
      ]),
    );
  }
  if (key === 'items') return convert(value as Record<string, unknown>, `${path}[]`);
  return value;
}

/* With `properties`, unknown fields are pruned or preserved, never described. An empty schema means any value. */
function convertAdditional(node: Record<string, unknown>, value: unknown, path: string): unknown {
  if (node['properties'] !== undefined || typeof value === 'boolean') return undefined;
  if (node['x-kubernetes-preserve-unknown-fields'] === true) return undefined;
  return convert(value as Record<string, unknown>, `${path}.*`);
}
