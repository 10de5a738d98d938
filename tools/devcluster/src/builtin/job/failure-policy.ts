import { objectAt, objectsAt, textAt, valueAt } from '../../object.js';
import { duplicate, invalid, notSupported, required, tooMany } from '../../schema/field-error.js';
import type { Cause, JsonObject } from '../../schema/types.js';

const field = 'spec.podFailurePolicy.rules';
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];
const [maxRules, maxCodes, maxPatterns] = [20, 255, 20];

/** Checks the podFailurePolicy of a Job's spec. Source: Kubernetes pkg/apis/batch/validation, validatePodFailurePolicy. */
export function validatePodFailurePolicy(spec: JsonObject): Cause[] {
  if (valueAt(spec, 'podFailurePolicy') === undefined) return [];
  const rules = objectsAt(spec, 'podFailurePolicy', 'rules');
  if (rules.length > maxRules) return [tooMany(field, rules.length, maxRules)];
  const containers = ['containers', 'initContainers'].flatMap((list) =>
    objectsAt(spec, 'template', 'spec', list).map((container) => textAt(container, 'name')),
  );
  return rules.flatMap((rule, index) => validateRule(rule, `${field}[${String(index)}]`, containers));
}

function validateRule(rule: JsonObject, at: string, containers: readonly string[]): Cause[] {
  const causes: Cause[] = [];
  const action = textAt(rule, 'action');
  if (action === '') {
    causes.push(required(`${at}.action`, `valid values: ${actions.map((one) => `"${one}"`).join(', ')}`));
  } else if (action === 'FailIndex') {
    causes.push(invalid(`${at}.action`, action, 'requires the backoffLimitPerIndex to be set'));
  } else if (!actions.includes(action)) {
    causes.push(notSupported(`${at}.action`, action, actions));
  }
  const [hasCodes, patterns] = [
    valueAt(rule, 'onExitCodes') !== undefined,
    objectsAt(rule, 'onPodConditions'),
  ];
  if (hasCodes) {
    causes.push(...validateCodes(objectAt(rule, 'onExitCodes'), `${at}.onExitCodes`, containers));
  }
  causes.push(...validatePatterns(patterns, `${at}.onPodConditions`));
  if (hasCodes && patterns.length > 0) {
    causes.push(invalid(at, rule, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (!hasCodes && patterns.length === 0) {
    causes.push(invalid(at, rule, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
  return causes;
}

function validateCodes(codes: JsonObject, at: string, containers: readonly string[]): Cause[] {
  const causes: Cause[] = [];
  const operator = textAt(codes, 'operator');
  if (operator === '') {
    causes.push(required(`${at}.operator`, `valid values: ${operators.map((one) => `"${one}"`).join(', ')}`));
  } else if (!operators.includes(operator)) {
    causes.push(notSupported(`${at}.operator`, operator, operators));
  }
  const name = valueAt(codes, 'containerName');
  if (typeof name === 'string' && !containers.includes(name)) {
    causes.push(
      invalid(
        `${at}.containerName`,
        name,
        'must be one of the container or initContainer names in the pod template',
      ),
    );
  }
  const values = Array.isArray(codes['values']) ? codes['values'] : [];
  if (values.length === 0) causes.push(invalid(`${at}.values`, values, 'at least one value is required'));
  else if (values.length > maxCodes) causes.push(tooMany(`${at}.values`, values.length, maxCodes));
  for (const [index, value] of values.entries()) {
    const one = `${at}.values[${String(index)}]`;
    if (operator === 'In' && value === 0)
      causes.push(invalid(one, value, 'must not be 0 for the In operator'));
    if (values.indexOf(value) < index) causes.push(duplicate(one, value));
  }
  const isOrdered = values.every((value, index) => index === 0 || Number(values[index - 1]) <= Number(value));
  if (!isOrdered) causes.push(invalid(`${at}.values`, values, 'must be ordered'));
  return causes;
}

function validatePatterns(patterns: readonly JsonObject[], at: string): Cause[] {
  if (patterns.length > maxPatterns) return [tooMany(at, patterns.length, maxPatterns)];
  return patterns.flatMap((pattern, index) => {
    const status = textAt(pattern, 'status');
    if (statuses.includes(status)) return [];
    return [notSupported(`${at}[${String(index)}].status`, status, statuses)];
  });
}
