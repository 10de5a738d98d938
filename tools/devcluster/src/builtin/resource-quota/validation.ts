import { Quantity, quantityOf } from '@interlock/api/quantities';
import { objectAt, objectsAt, textAt, textsAt, valueAt, type KubeObject } from '../../object.js';
import { invalid, required } from '../../schema/field-error.js';
import type { Cause, JsonObject } from '../../schema/types.js';
import { isIntegerResource, isStandardQuotaResource, validateQuotaResourceName } from '../resource-names.js';

const podScopes = [
  'Terminating',
  'NotTerminating',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
];
const scopes = [...podScopes, 'BestEffort'];
const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
const computeResources = ['cpu', 'memory'].flatMap((name) => [name, `limits.${name}`, `requests.${name}`]);
const onlyExists =
  "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

/** Checks a ResourceQuota. Source: Kubernetes pkg/apis/core/validation, ValidateResourceQuota. */
export function validateResourceQuota(quota: KubeObject): Cause[] {
  return [
    ...validateAmounts(quota, 'spec', 'hard'),
    ...validateScopes(quota),
    ...validateScopeSelector(quota),
    ...validateAmounts(quota, 'status', 'hard'),
    ...validateAmounts(quota, 'status', 'used'),
  ];
}

/** Checks that the scopes of a quota do not change. */
export function validateResourceQuotaUpdate(quota: KubeObject, old: KubeObject): Cause[] {
  const [now, before] = [new Set(scopesOf(quota)), new Set(scopesOf(old))];
  const isSame = now.size === before.size && [...now].every((scope) => before.has(scope));
  return isSame ? [] : [invalid('spec.scopes', scopesOf(quota), 'field is immutable')];
}

function scopesOf(quota: KubeObject): string[] {
  return textsAt(quota, 'spec', 'scopes');
}

function validateAmounts(quota: KubeObject, ...path: [string, string]): Cause[] {
  return Object.entries(objectAt(quota, ...path)).flatMap(([name, amount]) => {
    const field = `${path.join('.')}[${name}]`;
    return [...validateQuotaResourceName(name, field), ...validateAmount(name, amount, field)];
  });
}

function validateAmount(name: string, amount: unknown, field: string): Cause[] {
  const quantity = quantityOf(amount);
  if (quantity === undefined) return [];
  const causes: Cause[] = [];
  if (quantity.compareTo(Quantity.of(0)) < 0n) {
    causes.push(invalid(field, amount, 'must be greater than or equal to 0'));
  }
  if (isIntegerResource(name) && !quantity.isInteger)
    causes.push(invalid(field, amount, 'must be an integer'));
  return causes;
}

function validateScopes(quota: KubeObject): Cause[] {
  const stated = scopesOf(quota);
  const causes = stated.flatMap((scope) => [
    ...(scopes.includes(scope) ? [] : [invalid('spec.scopes', stated, 'unsupported scope')]),
    ...unfitResources(quota, scope).map(() =>
      invalid('spec.scopes', stated, 'unsupported scope applied to resource'),
    ),
  ]);
  return [...causes, ...conflicts(stated, 'spec.scopes', stated)];
}

/** Returns the limited resources that a quota with the scope cannot count, because scopes select pods. */
function unfitResources(quota: KubeObject, scope: string): string[] {
  if (!scopes.includes(scope)) return [];
  const fits = (name: string): boolean =>
    name === 'pods' || (podScopes.includes(scope) && computeResources.includes(name));
  return Object.keys(objectAt(quota, 'spec', 'hard')).filter(
    (name) => isStandardQuotaResource(name) && !fits(name),
  );
}

function conflicts(stated: readonly string[], field: string, value: unknown): Cause[] {
  return opposites.flatMap((pair) =>
    pair.every((scope) => stated.includes(scope)) ? [invalid(field, value, 'conflicting scopes')] : [],
  );
}

function validateScopeSelector(quota: KubeObject): Cause[] {
  const selector = valueAt(quota, 'spec', 'scopeSelector');
  if (selector === undefined) return [];
  const field = 'spec.scopeSelector.matchExpressions';
  const expressions = objectsAt(quota, 'spec', 'scopeSelector', 'matchExpressions');
  const causes = expressions.flatMap((expression) => {
    const scope = textAt(expression, 'scopeName');
    return [
      ...(scopes.includes(scope) ? [] : [invalid(`${field}.scopeName`, scope, 'unsupported scope')]),
      ...unfitResources(quota, scope).map(() =>
        invalid(field, selector, 'unsupported scope applied to resource'),
      ),
      ...validateOperator(expression, scope, field),
    ];
  });
  const stated = expressions.map((expression) => textAt(expression, 'scopeName'));
  return [...causes, ...conflicts(stated, field, scopesOf(quota))];
}

function validateOperator(expression: JsonObject, scope: string, field: string): Cause[] {
  const operator = textAt(expression, 'operator');
  const values = textsAt(expression, 'values');
  const causes: Cause[] = [];
  if (scopes.includes(scope) && scope !== 'PriorityClass' && operator !== 'Exists') {
    causes.push(invalid(`${field}.operator`, operator, onlyExists));
  }
  if (operator === 'In' || operator === 'NotIn') {
    const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    if (values.length === 0) causes.push(required(`${field}.values`, why));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    if (values.length > 0) causes.push(invalid(`${field}.values`, values, why));
  } else {
    causes.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  }
  return causes;
}
