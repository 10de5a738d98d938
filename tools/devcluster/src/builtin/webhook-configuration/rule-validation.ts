import { textAt, textsAt } from '../../object.js';
import { invalid, notSupported, required } from '../../schema/field-error.js';
import type { Cause, JsonObject } from '../../schema/types.js';

export const webhookOperations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
export const scopes = ['*', 'Cluster', 'Namespaced'];

/** Returns the problems with a rule of a webhook. Source: kubernetes pkg/apis/admissionregistration/validation. */
export function checkRule(rule: JsonObject, path: string): Cause[] {
  const operations = textsAt(rule, 'operations');
  const scope = textAt(rule, 'scope');
  return [
    ...checkNames(operations, `${path}.operations`, 'operations'),
    ...operations.flatMap((operation, index) =>
      webhookOperations.includes(operation)
        ? []
        : [notSupported(`${path}.operations[${String(index)}]`, operation, webhookOperations)],
    ),
    ...checkNames(textsAt(rule, 'apiGroups'), `${path}.apiGroups`, 'API groups'),
    ...checkNames(textsAt(rule, 'apiVersions'), `${path}.apiVersions`, 'API versions'),
    ...textsAt(rule, 'apiVersions').flatMap((version, index) =>
      version === '' ? [required(`${path}.apiVersions[${String(index)}]`)] : [],
    ),
    ...checkResources(textsAt(rule, 'resources'), `${path}.resources`),
    ...(scopes.includes(scope) ? [] : [notSupported(`${path}.scope`, scope, scopes)]),
  ];
}

function checkNames(names: readonly string[], path: string, what: string): Cause[] {
  if (names.length === 0) return [required(path)];
  if (names.length === 1 || !names.includes('*')) return [];
  return [invalid(path, names, `if '*' is present, must not specify other ${what}`)];
}

function checkResources(resources: readonly string[], path: string): Cause[] {
  const causes: Cause[] = resources.length === 0 ? [required(path)] : [];
  const allOf = new Set<string>();
  const ofAll = new Set<string>();
  for (const [index, name] of resources.entries()) {
    const place = `${path}[${String(index)}]`;
    if (name === '') causes.push(required(place));
    const slash = name.indexOf('/');
    if (slash < 0) continue;
    const [resource, subresource] = [name.slice(0, slash), name.slice(slash + 1)];
    if (allOf.has(resource)) {
      causes.push(invalid(place, name, `if '${resource}/*' is present, must not specify ${name}`));
    }
    if (ofAll.has(subresource)) {
      causes.push(invalid(place, name, `if '*/${subresource}' is present, must not specify ${name}`));
    }
    if (subresource === '*') allOf.add(resource);
    if (resource === '*') ofAll.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    causes.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (
    resources.includes('*') &&
    resources.some((name) => name !== '*' && name !== '' && !name.includes('/'))
  ) {
    const why = "if '*' is present, must not specify other resources without subresources";
    causes.push(invalid(path, resources, why));
  }
  return causes;
}
