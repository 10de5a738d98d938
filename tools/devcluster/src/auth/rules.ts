import { goQuote } from '../schema/json.js';
import type { Attributes, PolicyRule } from './rbac-types.js';

const all = '*';

/** Returns whether one rule allows a request. Source: Kubernetes pkg/apis/rbac/v1 evaluation_helpers.go. */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!includes(rule.verbs, attributes.verb)) return false;
  if ('path' in attributes) {
    return (rule.nonResourceURLs ?? []).some((pattern) => urlCovers(pattern, attributes.path));
  }
  const { group, resource, subresource = '', name = '' } = attributes;
  return (
    includes(rule.apiGroups, group) &&
    (rule.resources ?? []).some((granted) => resourceMatches(granted, resource, subresource)) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(name))
  );
}

function includes(granted: readonly string[] | undefined, wanted: string): boolean {
  return granted !== undefined && (granted.includes(wanted) || granted.includes(all));
}

function resourceMatches(granted: string, resource: string, subresource: string): boolean {
  if (granted === all) return true;
  return subresource === ''
    ? granted === resource
    : granted === `${resource}/${subresource}` || granted === `*/${subresource}`;
}

function urlCovers(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith(all) && path.startsWith(pattern.replace(/\*+$/, '')));
}

/**
 * Returns the parts of `wanted` that no single rule of `held` covers, one verb, resource and name each. Source:
 * component-helpers auth/rbac/validation policy_comparator.go.
 */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((part) => !held.some((rule) => covers(rule, part)));
}

function breakDown({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): PolicyRule[] {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  const parts: PolicyRule[] = [];
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs)
        for (const name of names) {
          const part = { verbs: [verb], apiGroups: [group], resources: [resource] };
          parts.push(name === undefined ? part : { ...part, resourceNames: [name] });
        }
  for (const url of nonResourceURLs)
    for (const verb of verbs) parts.push({ verbs: [verb], nonResourceURLs: [url] });
  return parts;
}

function covers(rule: PolicyRule, part: PolicyRule): boolean {
  const resourceGranted = (resource: string): boolean => {
    const [, subresource] = resource.split(/\/(.*)/, 2);
    const granted = rule.resources ?? [];
    return includes(granted, resource) || (subresource !== undefined && granted.includes(`*/${subresource}`));
  };
  const named = rule.resourceNames ?? [];
  const names = part.resourceNames ?? [];
  return (
    part.verbs.every((verb) => includes(rule.verbs, verb)) &&
    (part.apiGroups ?? []).every((group) => includes(rule.apiGroups, group)) &&
    (part.resources ?? []).every(resourceGranted) &&
    (part.nonResourceURLs ?? []).every((url) =>
      (rule.nonResourceURLs ?? []).some((held) => urlCovers(held, url)),
    ) &&
    (named.length === 0 || (names.length > 0 && names.every((name) => named.includes(name))))
  );
}

/** Returns rules for messages: one sorted line for each resource and name, with all verbs. */
export function describeRules(rules: readonly PolicyRule[]): string[] {
  const compact = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs, ...target } = rule;
    const key = JSON.stringify(rule.nonResourceURLs === undefined ? target : rule);
    compact.set(key, { ...rule, verbs: [...new Set([...(compact.get(key)?.verbs ?? []), ...verbs])] });
  }
  return [...new Set([...compact.values()].map(describeRule))].sort();
}

function describeRule(rule: PolicyRule): string {
  const parts: [string, string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = parts.filter(([, values]) => values !== undefined && values.length > 0);
  return `{${shown.map(([name, values = []]) => `${name}:${goList(values)}`).join(', ')}}`;
}

/** Returns a list of strings as Go's `%q` prints it. */
export function goList(values: readonly string[]): string {
  return `[${values.map((value) => goQuote(value)).join(' ')}]`;
}
