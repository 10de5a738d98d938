import { objectAt, objectsAt, textAt, textsAt } from '../../object.js';
import { checkLabelValue, checkQualifiedName, validateLabels } from '../../registry/names.js';
import { atomic, list, map, object, string } from '../../schema/dsl.js';
import { forbidden, invalid, required } from '../../schema/field-error.js';
import type { Cause, JsonObject, Schema } from '../../schema/types.js';

/** metav1.LabelSelector. */
export const labelSelector: Schema = atomic(
  object({
    matchLabels: map(string(), 'Labels that must be equal.'),
    matchExpressions: list(
      object(
        { key: string(), operator: string(), values: list(string()) },
        { required: ['key', 'operator'] },
      ),
      'Further conditions.',
    ),
  }),
);

/**
 * Returns the problems with a `metav1.LabelSelector`. Source: apimachinery meta/v1/validation, ValidateLabelSelector.
 */
export function validateLabelSelector(selector: JsonObject, path: string): Cause[] {
  const labels = objectAt(selector, 'matchLabels') as Record<string, string>;
  return [
    ...validateLabels(labels, `${path}.matchLabels`),
    ...objectsAt(selector, 'matchExpressions').flatMap((expression, index) =>
      validateExpression(expression, `${path}.matchExpressions[${String(index)}]`),
    ),
  ];
}

function validateExpression(expression: JsonObject, path: string): Cause[] {
  const values = textsAt(expression, 'values');
  return [
    ...validateOperator(textAt(expression, 'operator'), values, path),
    ...checkKey(textAt(expression, 'key'), `${path}.key`),
    ...values.flatMap((value, index) => {
      const wrong = checkLabelValue(value);
      return wrong === undefined ? [] : [invalid(`${path}.values[${String(index)}]`, value, wrong)];
    }),
  ];
}

function validateOperator(operator: string, values: readonly string[], path: string): Cause[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist': {
      const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return values.length === 0 ? [] : [forbidden(`${path}.values`, why)];
    }
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}

/** Returns the problems with the key of a label, or another qualified name. */
export function checkKey(key: string, path: string): Cause[] {
  const wrong = checkQualifiedName(key);
  return wrong === undefined ? [] : [invalid(path, key, wrong)];
}
