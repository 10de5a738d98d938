import { compileMatchCondition } from '../../admission/webhooks/match-conditions.js';
import { objectAt, objectsAt, textAt, textsAt, valueAt, type KubeObject } from '../../object.js';
import { checkLabel1035, checkSubdomain } from '../../registry/names.js';
import { duplicate, invalid, notSupported, required, tooMany } from '../../schema/field-error.js';
import type { Cause, JsonObject } from '../../schema/types.js';
import { checkKey, validateLabelSelector } from '../meta/label-selector.js';
import { checkClientConfig } from './client-validation.js';
import { checkRule } from './rule-validation.js';

export const failurePolicies = ['Fail', 'Ignore'];
export const matchPolicies = ['Equivalent', 'Exact'];
export const reinvocationPolicies = ['IfNeeded', 'Never'];
const sideEffects = ['None', 'NoneOnDryRun'];
const reviewVersions = ['v1', 'v1beta1'];
const maxMatchConditions = 64;

/**
 * Returns the problems with the webhooks of a configuration. Source: kubernetes
 * pkg/apis/admissionregistration/validation.
 */
export function validateWebhooks(o: KubeObject): Cause[] {
  const names = new Set<string>();
  return objectsAt(o, 'webhooks').flatMap((webhook, index) => {
    const path = `webhooks[${String(index)}]`;
    const name = textAt(webhook, 'name');
    const twice = name !== '' && names.has(name) ? [duplicate(`${path}.name`, name)] : [];
    names.add(name);
    return [
      ...checkWebhook(webhook, path),
      ...checkReviewVersions(textsAt(webhook, 'admissionReviewVersions'), `${path}.admissionReviewVersions`),
      ...twice,
    ];
  });
}

function checkWebhook(webhook: JsonObject, path: string): Cause[] {
  return [
    ...checkFullName(textAt(webhook, 'name'), `${path}.name`),
    ...objectsAt(webhook, 'rules').flatMap((rule, index) =>
      checkRule(rule, `${path}.rules[${String(index)}]`),
    ),
    ...checkOneOf(webhook, path, 'failurePolicy', failurePolicies),
    ...checkOneOf(webhook, path, 'matchPolicy', matchPolicies),
    ...checkSideEffects(webhook, path),
    ...checkTimeout(webhook, path),
    ...validateLabelSelector(objectAt(webhook, 'namespaceSelector'), `${path}.namespaceSelector`),
    ...validateLabelSelector(objectAt(webhook, 'objectSelector'), `${path}.objectSelector`),
    ...checkOneOf(webhook, path, 'reinvocationPolicy', reinvocationPolicies),
    ...checkClientConfig(objectAt(webhook, 'clientConfig'), `${path}.clientConfig`),
    ...checkMatchConditions(objectsAt(webhook, 'matchConditions'), `${path}.matchConditions`, (expression) =>
      problemOf(compileMatchCondition(expression)),
    ),
  ];
}

function checkFullName(name: string, path: string): Cause[] {
  if (name === '') return [required(path)];
  const wrong = checkSubdomain(name);
  if (wrong !== undefined) return [invalid(path, name, wrong)];
  if (name.split('.').length >= 3) return [];
  return [invalid(path, name, 'should be a domain with at least three segments separated by dots')];
}

function checkOneOf(webhook: JsonObject, path: string, field: string, allowed: readonly string[]): Cause[] {
  const value = valueAt(webhook, field);
  if (value === undefined || (typeof value === 'string' && allowed.includes(value))) return [];
  return [notSupported(`${path}.${field}`, value, allowed)];
}

function checkSideEffects(webhook: JsonObject, path: string): Cause[] {
  if (valueAt(webhook, 'sideEffects') !== undefined) {
    return checkOneOf(webhook, path, 'sideEffects', sideEffects);
  }
  return [required(`${path}.sideEffects`, `must specify one of ${sideEffects.join(', ')}`)];
}

function checkTimeout(webhook: JsonObject, path: string): Cause[] {
  const value = valueAt(webhook, 'timeoutSeconds');
  if (typeof value !== 'number' || (value >= 1 && value <= 30)) return [];
  return [invalid(`${path}.timeoutSeconds`, value, 'the timeout value must be between 1 and 30 seconds')];
}

/** Returns why a condition is not valid. */
type CheckCondition = (expression: string) => string | undefined;

function problemOf(compiled: object): string | undefined {
  return 'error' in compiled ? String(compiled.error) : undefined;
}

/** Returns the problems with the conditions of a webhook or a policy. */
export function checkMatchConditions(
  conditions: readonly JsonObject[],
  path: string,
  check: CheckCondition,
): Cause[] {
  const names = new Set<string>();
  const many =
    conditions.length > maxMatchConditions ? [tooMany(path, conditions.length, maxMatchConditions)] : [];
  return many.concat(
    conditions.flatMap((condition, index) => {
      const place = `${path}[${String(index)}]`;
      const name = textAt(condition, 'name');
      const twice = name !== '' && names.has(name) ? [duplicate(`${place}.name`, name)] : [];
      names.add(name);
      return [...checkMatchCondition(condition, place, check), ...twice];
    }),
  );
}

function checkMatchCondition(condition: JsonObject, path: string, check: CheckCondition): Cause[] {
  const expression = textAt(condition, 'expression').trim();
  const name = textAt(condition, 'name');
  const causes: Cause[] = [];
  if (expression === '') causes.push(required(`${path}.expression`));
  else {
    const problem = check(expression);
    if (problem !== undefined) causes.push(invalid(`${path}.expression`, expression, problem));
  }
  return [...causes, ...(name === '' ? [required(`${path}.name`)] : checkKey(name, `${path}.name`))];
}

function checkReviewVersions(versions: readonly string[], path: string): Cause[] {
  if (versions.length === 0) return [required(path, `must specify one of ${reviewVersions.join(', ')}`)];
  const causes = versions.flatMap((version, index) => {
    const place = `${path}[${String(index)}]`;
    if (versions.indexOf(version) < index) return [invalid(place, version, 'duplicate version')];
    const wrong = checkLabel1035(version);
    return wrong === undefined ? [] : [invalid(place, version, wrong)];
  });
  if (versions.some((version) => reviewVersions.includes(version))) return causes;
  return [...causes, invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`)];
}
