import type { AdmissionRequest, Cluster } from '../../api/cluster.js';
import type { Resource } from '../../registry/resource.js';
import { matchesNamespace, matchesObject, matchingResource } from '../webhooks/match.js';
import type { ResourceMatch } from './policy.js';

/**
 * Returns the version in which a request matches a policy or a binding, or undefined if it does not match. Without
 * rules, every resource matches. Source: apiserver admission/plugin/policy/matching.
 */
export function matchResource(
  cluster: Cluster,
  match: ResourceMatch,
  request: AdmissionRequest,
): Resource | undefined {
  const { rules, excluded, matchesEquivalent } = match;
  if (matchingResource(cluster, { rules: excluded, matchesEquivalent }, request) !== undefined)
    return undefined;
  const resource = rules.length === 0 ? request.resource : matchingResource(cluster, match, request);
  if (resource === undefined || !matchesObject(match.objectSelector, request)) return undefined;
  return matchesNamespace(cluster, match.namespaceSelector, request) ? resource : undefined;
}
