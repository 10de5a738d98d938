import { Optional } from '@marcbachmann/cel-js';
import type { CompiledRule, RuleNode } from './compile-rules.js';
import type { CelTypes } from './types.js';
import { ValueConverter } from './values.js';
import { matchItems } from '../check-value.js';
import { duplicate, forbidden, invalid, omitValue, required } from '../field-error.js';
import { isObject, jsonEqual, own } from '../json.js';
import { at, child, key } from '../path.js';
import type { Cause, Json, ValidationRule } from '../types.js';

const maxMessageBytes = 5 * 1024;

/** A value with the corresponding old value, if there is one. */
interface Subject {
  value: Json;
  old: Json | undefined;
  path: string;
  /**
   * Whether the value, or a surrounding part of the object, is unchanged, so that rules without `oldSelf` are not
   * enforced.
   */
  unchanged: boolean;
}

/**
 * Evaluates the rules of a resource, outer before inner. Transition rules (those with `oldSelf`) run only where an old value corresponds:
 * the same field, the item with the same keys of a `map` list; with `optionalOldSelf` they always run.
 *
 * The API server also stops when rules become too costly at run time; here only admission of the schema bounds the cost.
 */
export function evaluateRules(rules: { types: CelTypes; node: RuleNode }, value: Json, old?: Json): Cause[] {
  const unchanged = old !== undefined && jsonEqual(value, old);
  return evaluateNode(rules.node, rules.types, { value, old, path: '', unchanged });
}

function evaluateNode(node: RuleNode, types: CelTypes, subject: Subject): Cause[] {
  const { value } = subject;
  if (value === null) return [];
  const causes = evaluateOwn(node, types, subject);
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === undefined) return causes;
    const oldItem = matchItems(subject.old, node.schema);
    return causes.concat(
      value.flatMap((item, index) =>
        evaluateNode(items, types, below(subject, item, oldItem(item), at(subject.path, index))),
      ),
    );
  }
  return isObject(value) ? causes.concat(evaluateFields(node, types, subject, value)) : causes;
}

function evaluateFields(
  node: RuleNode,
  types: CelTypes,
  subject: Subject,
  object: Record<string, Json>,
): Cause[] {
  const { path, old } = subject;
  const oldObject = isObject(old) ? old : undefined;
  return Object.entries(object).flatMap(([name, value]) => {
    const property = node.properties.get(name);
    const rules = property ?? (node.schema.properties === undefined ? node.additionalProperties : undefined);
    if (rules === undefined) return [];
    const fieldPath = property === undefined ? key(path, name) : child(path, name);
    return evaluateNode(rules, types, below(subject, value, own(oldObject, name), fieldPath));
  });
}

function below(parent: Subject, value: Json, old: Json | undefined, path: string): Subject {
  const unchanged = parent.unchanged || (old !== undefined && jsonEqual(value, old));
  return { value, old: old === null ? undefined : old, path, unchanged };
}

function evaluateOwn(node: RuleNode, types: CelTypes, subject: Subject): Cause[] {
  if (node.rules.length === 0) return [];
  const converter = new ValueConverter(types);
  const self = converter.convert(subject.value, node.schema);
  const oldSelf = subject.old === undefined ? undefined : converter.convert(subject.old, node.schema);
  const type = node.schema.type ?? '';
  return node.rules.flatMap((rule) => evaluateRule(rule, type, subject, self, oldSelf));
}

/** @param type the type of the schema, which errors name instead of the value. */
function evaluateRule(
  compiled: CompiledRule,
  type: string,
  subject: Subject,
  self: unknown,
  oldSelf: unknown,
): Cause[] {
  const { rule, expression, problem, usesOldSelf } = compiled;
  const { path, value, unchanged } = subject;
  const shown = typeof value === 'object' ? omitValue : value;
  if ('error' in expression || problem !== undefined) {
    return [invalid(path, type, `rule compile error: ${problem ?? ''}`)];
  }
  const isOptional = rule.optionalOldSelf === true;
  if (usesOldSelf && oldSelf === undefined && !isOptional) return [];
  const variables = { self, oldSelf: isOptional ? optional(oldSelf) : oldSelf };
  const result = expression.evaluate(variables);
  if ('error' in result) return [invalid(path, type, runtimeMessage(result.error, rule))];
  if (result.value === true || (!usesOldSelf && unchanged)) return [];
  const place = compiled.fieldPath === '' ? path : child(path, compiled.fieldPath);
  return [causeOf(rule, place, shown, failureMessage(compiled, variables))];
}

function optional(value: unknown): Optional {
  return value === undefined ? Optional.none() : Optional.of(value);
}

function runtimeMessage(error: string, rule: ValidationRule): string {
  return error === 'no such overload'
    ? `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${label(rule)}`
    : `${error} evaluating rule: ${label(rule)}`;
}

function label(rule: ValidationRule): string {
  return ((rule.message ?? '') === '' ? rule.rule : (rule.message ?? '')).trim();
}

function failureMessage({ rule, message }: CompiledRule, variables: Record<string, unknown>): string {
  const result = message === undefined || 'error' in message ? undefined : message.evaluate(variables);
  if (result !== undefined && 'value' in result && typeof result.value === 'string') {
    const text = result.value.trim();
    if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxMessageBytes) return text;
  }
  return (rule.message ?? '') === '' ? `failed rule: ${label(rule)}` : label(rule);
}

function causeOf(rule: ValidationRule, path: string, shown: unknown, detail: string): Cause {
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      return duplicate(path, shown);
    default:
      return invalid(path, shown, detail);
  }
}
