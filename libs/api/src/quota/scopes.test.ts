import { describe, expect, it } from '@jest/globals';
import { isPodInScope, scopeRequirements, type ScopeRequirement } from './scopes.js';

const containers = [{ name: 'c', resources: { requests: { cpu: '1' } } }];
const affinity = (term: object): object => ({
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
    },
  },
});
const exists = (scope: string): ScopeRequirement => ({ scope, operator: 'Exists', values: [] });
const ofClass = (operator: string, ...values: string[]): ScopeRequirement => ({
  scope: 'PriorityClass',
  operator,
  values,
});

describe('isPodInScope', () => {
  it.each<[boolean, object, ScopeRequirement]>([
    [true, { activeDeadlineSeconds: 0 }, exists('Terminating')],
    [false, {}, exists('Terminating')],
    [true, {}, exists('NotTerminating')],
    [true, { containers: [{ name: 'c' }] }, exists('BestEffort')],
    [false, { containers }, exists('BestEffort')],
    [true, { containers }, exists('NotBestEffort')],
    [true, { priorityClassName: 'high' }, exists('PriorityClass')],
    [false, {}, exists('PriorityClass')],
    [true, { priorityClassName: 'high' }, ofClass('In', 'low', 'high')],
    [false, {}, ofClass('In', 'low', 'high')],
    [false, { priorityClassName: 'high' }, ofClass('NotIn', 'high')],
    [true, {}, ofClass('NotIn', 'high')],
    [true, {}, ofClass('DoesNotExist')],
    [true, affinity({ namespaces: ['other'] }), exists('CrossNamespacePodAffinity')],
    [true, affinity({ namespaceSelector: {} }), exists('CrossNamespacePodAffinity')],
    [false, affinity({ topologyKey: 'zone' }), exists('CrossNamespacePodAffinity')],
    [false, {}, exists('Unknown')],
  ])('returns %p for %j and %j', (expected, spec, requirement) => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
    expect(isPodInScope(pod, requirement)).toBe(expected);
  });
});

describe('scopeRequirements', () => {
  it('returns plain and selected scopes in the same form', () => {
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }];
    const spec = { scopes: ['NotBestEffort'], scopeSelector: { matchExpressions } };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec };
    expect(scopeRequirements(quota)).toEqual([exists('NotBestEffort'), ofClass('In', 'high')]);
  });
});
