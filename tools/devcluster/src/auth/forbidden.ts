import { goQuote } from '../schema/json.js';
import type { JsonObject } from '../schema/types.js';
import type { Attributes } from './rbac-types.js';
import { failure } from './status.js';
import type { User } from './users.js';

/** Returns the 403 Status of a request that no rule allows (apiserver responsewriters/errors.go). */
export function forbiddenRequest(user: User, attributes: Attributes, reason = ''): JsonObject {
  const why = `${describe(user, attributes)}${reason === '' ? '' : `: ${reason}`}`;
  if ('path' in attributes) return failure(403, 'Forbidden', `forbidden: ${why}`, {});
  const { group, resource, name = '' } = attributes;
  return forbidden(group, resource, name, why);
}

/** Returns a 403 Status about an object of a resource: `roles.rbac… "x" is forbidden: why`. */
export function forbidden(group: string, resource: string, name: string, why: string): JsonObject {
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const subject = name === '' ? qualified : `${qualified} ${goQuote(name)}`;
  return failure(403, 'Forbidden', `${subject} is forbidden: ${why}`, { name, group, kind: resource });
}

function describe({ username }: User, attributes: Attributes): string {
  const can = `User ${goQuote(username)} cannot ${attributes.verb}`;
  if ('path' in attributes) return `${can} path ${goQuote(attributes.path)}`;
  const { group, resource, subresource = '', namespace = '' } = attributes;
  const target = goQuote(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  return `${can} resource ${target} in API group ${goQuote(group)} ${where}`;
}
