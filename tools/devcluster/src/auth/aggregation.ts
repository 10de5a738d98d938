import { jsonEqual } from '../schema/json.js';
import type { LabelSelector, PolicyRule, Role } from './rbac-types.js';

/**
 * Returns the aggregated ClusterRoles whose rules have to change, with their new rules: the rules of all other
 * ClusterRoles that one of their selectors matches, in the order of names, each rule once. The selected ClusterRoles
 * may be aggregated too. Source: Kubernetes clusterroleaggregation_controller.go.
 */
export function aggregateRules(clusterRoles: readonly Role[]): Role[] {
  const current = new Map(clusterRoles.map((role) => [role.metadata.name, role]));
  const aggregated = clusterRoles.filter((role) => role.aggregationRule);
  const changed = new Map<string, Role>();
  /* Every pass completes at least one role of a chain, so one pass per role is sufficient. */
  for (const _pass of aggregated) {
    for (const { metadata, ...role } of aggregated) {
      const before = current.get(metadata.name)?.rules ?? [];
      const rules = selectedRules({ metadata, ...role }, current.values());
      if (jsonEqual(before, rules)) continue;
      const after = { metadata, ...role, rules };
      current.set(metadata.name, after);
      changed.set(metadata.name, after);
    }
  }
  return [...changed.values()];
}

function selectedRules({ metadata, aggregationRule }: Role, clusterRoles: Iterable<Role>): PolicyRule[] {
  const selectors = aggregationRule?.clusterRoleSelectors ?? [];
  const selected = [...clusterRoles]
    .filter((other) => other.metadata.name !== metadata.name)
    .filter((other) => selectors.some((selector) => matches(selector, other.metadata.labels ?? {})))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const rule of selected.flatMap((role) => role.rules ?? [])) {
    if (!rules.some((known) => jsonEqual(known, rule))) rules.push(rule);
  }
  return rules;
}

function matches(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Record<string, string>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          return false;
      }
    })
  );
}
