import type { KubeObject } from '../object.js';
import { fieldAt, recordsAt, stringAt, stringsAt } from '../quantity/fields.js';
import { qosClass } from '../quantity/qos.js';
import { podSpecOf } from './pod-spec.js';

/** A condition that an object must meet to count against a quota (`v1.ScopedResourceSelectorRequirement`). */
export interface ScopeRequirement {
  scope: string;
  operator: string;
  values: readonly string[];
}

/** Returns the conditions of a quota, all of which must be met. */
export function scopeRequirements(quota: KubeObject): ScopeRequirement[] {
  const plain = stringsAt(quota, 'spec', 'scopes').map((scope) => ({
    scope,
    operator: 'Exists',
    values: [],
  }));
  const selected = recordsAt(quota, 'spec', 'scopeSelector', 'matchExpressions').map((expression) => ({
    scope: stringAt(expression, 'scopeName'),
    operator: stringAt(expression, 'operator'),
    values: stringsAt(expression, 'values'),
  }));
  return [...plain, ...selected];
}

/** Returns whether a scope includes a pod. Source: Kubernetes pkg/quota/v1/evaluator/core, pods.go. */
export function isPodInScope(pod: KubeObject, requirement: ScopeRequirement): boolean {
  const spec = podSpecOf(pod);
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
      return matchesClass(stringAt(spec, 'priorityClassName'), requirement);
    case 'CrossNamespacePodAffinity':
      return affinityTerms(spec).some(
        (term) => 'namespaceSelector' in term || stringsAt(term, 'namespaces').length > 0,
      );
    default:
      return false;
  }
}

function hasDeadline(spec: object): boolean {
  const seconds = fieldAt(spec, 'activeDeadlineSeconds');
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

function affinityTerms(spec: object): object[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const path = ['affinity', kind];
    const preferred = recordsAt(spec, ...path, 'preferredDuringSchedulingIgnoredDuringExecution');
    const terms = preferred.map((one) => fieldAt(one, 'podAffinityTerm'));
    return [
      ...recordsAt(spec, ...path, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...terms.filter((term) => typeof term === 'object' && term !== null),
    ];
  });
}
