import { forbidden, notFound } from '../../api/api-error.js';
import type { AdmissionRequest, Cluster } from '../../api/cluster.js';
import type { Resource } from '../../registry/resource.js';
import { matchesLabels, type Requirement } from '../../selectors/labels.js';
import type { Hook, HookRule, Matching } from './hook.js';
import { evaluateMatchConditions } from './match-conditions.js';
import { admissionRequest } from './review.js';

/** The version with which a webhook is called. */
export interface Invocation {
  hook: Hook;
  resource: Resource;
}

/**
 * Returns the call of a webhook for a write, or undefined if the webhook does not match. Throws a 404 if the namespace
 * is missing, and a 403 if a match condition fails and the failure policy is Fail. Source: apiserver
 * plugin/webhook/generic, ShouldCallHook.
 */
export function invocationOf(
  cluster: Cluster,
  hook: Hook,
  request: AdmissionRequest,
): Invocation | undefined {
  if (!matchesObject(hook.objectSelector, request)) return undefined;
  const resource = matchingResource(cluster, hook, request);
  if (resource === undefined || !matchesNamespace(cluster, hook.namespaceSelector, request)) return undefined;
  if (hook.matchConditions.length > 0) {
    const matches = evaluateMatchConditions(hook.matchConditions, admissionRequest(request, resource, ''));
    if (typeof matches === 'object') {
      if (hook.ignoresFailure) return undefined;
      const { group, plural } = request.resource;
      throw forbidden({ group, kind: plural, name: request.name }, matches.error);
    }
    if (!matches) return undefined;
  }
  return { hook, resource };
}

/** Returns whether a selector matches the labels of the old or of the new object. */
export function matchesObject(selector: readonly Requirement[], { object, old }: AdmissionRequest): boolean {
  if (selector.length === 0) return true;
  return [object, old].some(
    (value) => value !== undefined && matchesLabels(selector, value.metadata.labels ?? {}),
  );
}

/** Returns whether a selector matches the namespace of a request. Throws a 404 when the namespace is missing. */
export function matchesNamespace(
  { store }: Cluster,
  selector: readonly Requirement[],
  { operation, resource, namespace, name, subresource, object }: AdmissionRequest,
): boolean {
  const isNamespace = resource.collection === 'namespaces';
  if (selector.length === 0 || (namespace === '' && !isNamespace)) return true;
  if (isNamespace && subresource === undefined && operation !== 'DELETE') {
    return matchesLabels(selector, object?.metadata.labels ?? {});
  }
  const key = isNamespace ? name : namespace;
  const found = store.get('namespaces', key)?.object;
  if (found === undefined) throw notFound({ group: '', kind: 'namespaces', name: key });
  return matchesLabels(selector, found.metadata.labels ?? {});
}

/** Returns the request's version if a rule matches it, otherwise an equivalent version of the first matching rule. */
export function matchingResource(
  { registry }: Cluster,
  { rules, matchesEquivalent }: Pick<Matching, 'rules' | 'matchesEquivalent'>,
  request: AdmissionRequest,
): Resource | undefined {
  const { resource } = request;
  if (rules.some((rule) => matchesRule(rule, request, resource))) return resource;
  if (!matchesEquivalent) return undefined;
  const equivalents = registry.all().filter(({ collection }) => collection === resource.collection);
  for (const rule of rules) {
    const found = equivalents.find((equivalent) => matchesRule(rule, request, equivalent));
    if (found !== undefined) return found;
  }
  return undefined;
}

function matchesRule(
  rule: HookRule,
  request: AdmissionRequest,
  { group, version, plural }: Resource,
): boolean {
  const { operation, subresource = '', resource } = request;
  const { resourceNames } = rule;
  return (
    (resourceNames.length === 0 ||
      resourceNames.includes(request.ofCollection === true ? '' : request.name)) &&
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, group) &&
    includes(rule.apiVersions, version) &&
    (rule.scope === '*' || (rule.scope === 'Namespaced') === resource.namespaced) &&
    rule.resources.some((pattern) => {
      const slash = pattern.indexOf('/');
      const [name, sub] = slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
      return (name === '*' || name === plural) && (sub === '*' || sub === subresource);
    })
  );
}

function includes(names: readonly string[], name: string): boolean {
  return names.includes('*') || names.includes(name);
}
