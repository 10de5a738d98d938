import { compileRules } from '../cel/compile-rules.js';
import { evaluateRules } from '../cel/evaluate-rules.js';
import { checkField } from '../check-list-types.js';
import { checkValue } from '../check-value.js';
import { invalid } from '../field-error.js';
import { child, key } from '../path.js';
import { pruneField } from '../prune.js';
import { cloneJson } from '../json.js';
import type { Cause, Json, Schema } from '../types.js';

/** Checks that the defaults of a schema are valid and contain no unknown fields. */
export function checkDefaults(schema: Schema, path: string): Cause[] {
  const { items, properties = {} } = schema;
  return [
    ...checkDefault(schema, child(path, 'default')),
    ...(items === undefined ? [] : checkDefaults(items, child(path, 'items'))),
    ...Object.entries(properties).flatMap(([name, property]) =>
      checkDefaults(property, key(child(path, 'properties'), name)),
    ),
  ];
}

function checkDefault(schema: Schema, path: string): Cause[] {
  if (schema.default === undefined || schema.default === null) return [];
  const preset = schema.default as Json;
  const unknown = pruneField(cloneJson(preset), schema).length > 0;
  const causes = unknown ? [invalid(path, preset, 'must not have unknown fields')] : [];
  const errors = [...checkValue(preset, schema, '').causes, ...checkField(preset, schema, '')];
  const rules = errors.length > 0 ? undefined : compileRules(schema, false);
  if (rules !== undefined) errors.push(...evaluateRules(rules, preset));
  return [...causes, ...errors.map((cause) => ({ ...cause, field: below(path, cause.field) }))];
}

function below(path: string, field: string): string {
  if (field === '<nil>') return path;
  return field.startsWith('[') ? `${path}${field}` : child(path, field);
}
