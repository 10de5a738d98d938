import { compileRules, hasRules } from './cel/compile-rules.js';
import { evaluateRules } from './cel/evaluate-rules.js';
import { checkEmbeddedResources } from './check-embedded.js';
import { checkListTypes } from './check-list-types.js';
import { checkValue } from './check-value.js';
import { applyDefaults } from './defaults.js';
import { invalid } from './field-error.js';
import { prune } from './prune.js';
import type { Cause, JsonObject, Schema } from './types.js';

/** A compiled schema. Its methods have no side effects except for changes of the given object. */
export interface CompiledSchema {
  /** Removes unknown fields in place; returns their paths, sorted, as the API server names them (`spec.foo`, `spec.items[0].bar`). */
  prune(object: JsonObject): string[];
  /** Applies defaults in place, and removes nulls from fields that are not nullable. */
  applyDefaults(object: JsonObject): void;
  /**
   * Returns the causes for which the API server refuses the object, none when it is valid. With `old`, the object
   * before an update, transition rules are evaluated, and errors in parts that did not change are tolerated.
   */
  validate(object: JsonObject, old?: JsonObject): Cause[];
}

/** Causes after which rules are not evaluated, because the object may not have the expected shape. */
const blocking = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const rulesNotChecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/**
 * Compiles the OpenAPI v3 schema of a custom or built-in kind.
 *
 * The server handles `metadata`: it is neither pruned nor checked here, except that the schema itself can restrict
 * `metadata.name` and `metadata.generateName`. The metadata of embedded resources is pruned and checked here, by the
 * rules for the metadata of every object.
 *
 * Rules (`x-kubernetes-validations`) are evaluated only when the object has the right shape; otherwise a last cause
 * without a field states that they were not checked.
 */
export function compileSchema(schema: Schema): CompiledSchema {
  const withRules = hasRules(schema);
  /* Rules are compiled when the first object is checked, because most schemas of a cluster are never used. */
  let rules: ReturnType<typeof compileRules>;
  return {
    prune: (object) => prune(object, schema),
    applyDefaults: (object) => {
      applyDefaults(object, schema);
    },
    validate: (object, old) => {
      const causes = [
        ...checkValue(object, schema, '', old).causes,
        ...checkEmbeddedResources(object, schema),
        ...newListTypeCauses(object, schema, old),
      ];
      if (!withRules) return causes;
      const isBlocked = causes.some(({ reason }) => blocking.has(reason));
      if (isBlocked) return [...causes, invalid('', null, rulesNotChecked)];
      rules ??= compileRules(schema);
      return rules === undefined ? causes : [...causes, ...evaluateRules(rules, object, old)];
    },
  };
}

/** Returns the causes for duplicates in lists. On update, duplicates are reported only if the old object had none. */
function newListTypeCauses(object: JsonObject, schema: Schema, old: JsonObject | undefined): Cause[] {
  if (old !== undefined && checkListTypes(old, schema).length > 0) return [];
  return checkListTypes(object, schema);
}
