import type { CelRule, CustomKind, KubeObject } from '@interlock/api';
import type { FieldProblem } from '@interlock/base';
import { compileCondition } from '@interlock/cel';
import * as z from 'zod';

/** The part of a JSON schema that contains rules. */
interface RuledSchema {
  properties?: Record<string, RuledSchema>;
  items?: RuledSchema;
  additionalProperties?: RuledSchema | boolean;
  'x-kubernetes-validations'?: CelRule[];
}

/**
 * Returns the CEL rules of a kind that an object violates, as the API server evaluates them. Transition rules, and
 * rules that use functions of Kubernetes, are left to the API server.
 *
 * @param object with the defaults of its schema
 */
export function brokenRules(kind: CustomKind, object: KubeObject & { spec?: unknown }): FieldProblem[] {
  const spec = z.toJSONSchema(kind.spec, {
    target: 'openapi-3.0',
    io: 'input',
    reused: 'inline',
  }) as RuledSchema;
  return [...broken(kind.rules, object, kind.kind), ...walk(spec, object.spec, 'spec')];
}

function walk(schema: RuledSchema, value: unknown, field: string): FieldProblem[] {
  if (value === undefined || value === null) return [];
  const own = broken(schema['x-kubernetes-validations'] ?? [], value, field);
  const { items, properties = {}, additionalProperties } = schema;
  if (Array.isArray(value))
    return items === undefined
      ? own
      : [...own, ...value.flatMap((item, index) => walk(items, item, `${field}[${index}]`))];
  if (typeof value !== 'object') return own;
  const below = Object.entries(value).flatMap(([key, member]) => {
    const child =
      properties[key] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    return child === undefined ? [] : walk(child, member, `${field}.${key}`);
  });
  return [...own, ...below];
}

function broken(rules: readonly CelRule[], self: unknown, field: string): FieldProblem[] {
  return rules
    .filter(({ rule }) => !/\boldSelf\b/.test(rule) && holds(rule, self) === false)
    .map(({ message, fieldPath = '' }) => ({ field: `${field}${fieldPath}`, message }));
}

/** Returns whether a rule holds; undefined if only the API server can evaluate it. */
function holds(rule: string, self: unknown): boolean | undefined {
  try {
    return compileCondition(rule, { self: 'dyn' }).evaluate({ self });
  } catch {
    return undefined;
  }
}
