import { qosClass } from '../builtin/pod/qos.js';
import { objectAt, objectsAt, textAt, textsAt, valueAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';

/** A condition that an object meets to count against a quota (`v1.ScopedResourceSelectorRequirement`). */
export interface ScopeRequirement {
  scope: string;
  operator: string;
  values: readonly string[];
}

/** Returns the conditions of a quota; all of them must be met. */
export function scopeRequirements(quota: KubeObject): ScopeRequirement[] {
  const plain = textsAt(quota, 'spec', 'scopes').map((scope) => ({ scope, operator: 'Exists', values: [] }));
  const selected = objectsAt(quota, 'spec', 'scopeSelector', 'matchExpressions').map((expression) => ({
    scope: textAt(expression, 'scopeName'),
    operator: textAt(expression, 'operator'),
    values: textsAt(expression, 'values'),
  }));
  return [...plain, ...selected];
}

/** Whether a pod is in a scope. Source: Kubernetes pkg/quota/v1/evaluator/core, pods.go. */
export function isPodInScope(pod: KubeObject, requirement: ScopeRequirement): boolean {
  const spec = objectAt(pod, 'spec');
  switch (requirement.scope) {
    case 'Terminating':
      return hasDeadline(spec);
    case 'NotTerminating':
      return !hasDeadline(spec);
    case 'BestEffort':
      return qosClass(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClass(spec) !== 'BestEffort';
    case 'PriorityClass':
      return matchesClass(textAt(spec, 'priorityClassName'), requirement);
    case 'CrossNamespacePodAffinity':
      return affinityTerms(spec).some(
        (term) => 'namespaceSelector' in term || textsAt(term, 'namespaces').length > 0,
      );
    default:
      return false;
  }
}

function hasDeadline(spec: JsonObject): boolean {
  const seconds = spec['activeDeadlineSeconds'];
  return typeof seconds === 'number' && seconds >= 0;
}

function matchesClass(name: string, { operator, values }: ScopeRequirement): boolean {
  switch (operator) {
    case 'Exists':
      return name !== '';
    case 'DoesNotExist':
      return name === '';
    case 'In':
      return name !== '' && values.includes(name);
    case 'NotIn':
      return name === '' || !values.includes(name);
    default:
      return false;
  }
}

function affinityTerms(spec: JsonObject): JsonObject[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const affinity = objectAt(spec, 'affinity', kind);
    const preferred = objectsAt(affinity, 'preferredDuringSchedulingIgnoredDuringExecution');
    return [
      ...objectsAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...preferred
        .filter((one) => valueAt(one, 'podAffinityTerm') !== undefined)
        .map((one) => objectAt(one, 'podAffinityTerm')),
    ];
  });
}
