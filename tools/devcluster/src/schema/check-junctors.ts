import { CheckResult } from './check-result.js';
import { goQuote } from './json.js';
import { unplaced } from './field-error.js';
import type { Json, Schema } from './types.js';

type Check = (value: Json, schema: Schema, path: string) => CheckResult;

/**
 * Checks `anyOf`, `oneOf`, `allOf` and `not`. A failing junctor yields one cause without a field, whose message names
 * the place, and the causes of the alternative that came closest.
 */
export function checkJunctors(value: Json, schema: Schema, path: string, check: Check): CheckResult {
  const result = new CheckResult();
  const quoted = goQuote(path);
  const alternatives = (schemas: readonly Schema[] | undefined): CheckResult[] =>
    (schemas ?? []).map((alternative) => check(value, alternative, path));

  const anyOf = alternatives(schema.anyOf);
  if (anyOf.length > 0) {
    const success = anyOf.find((alternative) => alternative.valid);
    if (success === undefined) result.add(unplaced(`${quoted} must validate at least one schema (anyOf)`));
    result.merge(success ?? closest(anyOf));
  }
  const oneOf = alternatives(schema.oneOf);
  if (oneOf.length > 0) {
    const valid = oneOf.filter((alternative) => alternative.valid);
    const [first] = valid;
    if (valid.length === 1 && first !== undefined) {
      result.merge(first);
    } else {
      const found = first === undefined ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      result.add(unplaced(`${quoted} must validate one and only one schema (oneOf). ${found}`));
      if (first === undefined) result.merge(closest(oneOf));
    }
  }
  const allOf = alternatives(schema.allOf);
  const passed = allOf.filter((part) => part.valid).length;
  for (const part of allOf) result.merge(part);
  if (passed !== allOf.length) {
    const none = passed === 0 ? '. None validated' : '';
    result.add(unplaced(`${quoted} must validate all the schemas (allOf)${none}`));
  }
  if (schema.not !== undefined && check(value, schema.not, path).valid) {
    result.add(unplaced(`${quoted} must not validate the schema (not)`));
  }
  result.matches += 1;
  return result;
}

function closest(failures: readonly CheckResult[]): CheckResult {
  return failures.reduce((best, next) => (next.matches > best.matches ? next : best));
}
