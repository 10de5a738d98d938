import { objectAt, objectsAt, textAt, textsAt } from '../object.js';
import { checkQualifiedName } from '../registry/names.js';
import { invalid, required } from '../schema/field-error.js';
import type { Cause, JsonObject } from '../schema/types.js';

/** Returns what is wrong with a label selector. Source: apimachinery meta/v1/validation, ValidateLabelSelector. */
export function checkSelector(selector: JsonObject, path: string): Cause[] {
  const labels = Object.keys(objectAt(selector, 'matchLabels')).flatMap((key) =>
    checkKey(key, `${path}.matchLabels`),
  );
  const expressions = objectsAt(selector, 'matchExpressions').flatMap((expression, index) => {
    const place = `${path}.matchExpressions[${String(index)}]`;
    const count = textsAt(expression, 'values').length;
    const operator = textAt(expression, 'operator');
    const causes: Cause[] = [];
    if (['In', 'NotIn'].includes(operator)) {
      const why = "must be specified when `operator` is 'In' or 'NotIn'";
      if (count === 0) causes.push(required(`${place}.values`, why));
    } else if (['Exists', 'DoesNotExist'].includes(operator)) {
      const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      if (count > 0)
        causes.push({
          reason: 'FieldValueForbidden',
          message: `Forbidden: ${why}`,
          field: `${place}.values`,
        });
    } else {
      causes.push(invalid(`${place}.operator`, operator, 'not a valid selector operator'));
    }
    return [...causes, ...checkKey(textAt(expression, 'key'), `${place}.key`)];
  });
  return [...labels, ...expressions];
}

/** Returns what is wrong with the key of a label, or another qualified name. */
export function checkKey(key: string, path: string): Cause[] {
  const wrong = checkQualifiedName(key);
  return wrong === undefined ? [] : [invalid(path, key, wrong)];
}
