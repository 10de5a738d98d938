import { forbiddenRequest, type RbacAuthorizer, type User } from '../auth/index.js';
import { badRequest, fromStatus } from '../api/api-error.js';

/** Header lines by name in lower case. */
type Headers = Readonly<Record<string, string[] | undefined>>;

const serviceAccount = /^system:serviceaccount:([^:]+):([^:]+)$/;
const extraPrefix = 'impersonate-extra-';
const authentication = 'authentication.k8s.io';

/**
 * Returns the effective user of a request: the user of the `Impersonate-` headers, or `user`. Throws a 403 when
 * `user` may not impersonate it, and a 400 for groups, uid or extra without a user. Source: apiserver
 * endpoints/filters/impersonation.
 */
export function impersonated(rbac: RbacAuthorizer, user: User, headers: Headers): User {
  const [username = ''] = headers['impersonate-user'] ?? [];
  const groups = headers['impersonate-group'] ?? [];
  const [uid = ''] = headers['impersonate-uid'] ?? [];
  const extra = extraOf(headers);
  if (username === '') {
    if (groups.length === 0 && uid === '' && extra.size === 0) return user;
    throw badRequest(`requested [${[...groups, uid].join(' ')}] without impersonating a user`);
  }
  const demand = (
    resource: string,
    name: string,
    more: { group?: string; namespace?: string } = {},
  ): void => {
    checkAllowed(rbac, user, { group: '', resource, name, ...more });
  };
  const [, namespace, account] = serviceAccount.exec(username) ?? [];
  if (namespace === undefined || account === undefined) demand('users', username);
  else demand('serviceaccounts', account, { namespace });
  for (const group of groups) demand('groups', group);
  if (uid !== '') demand('uids', uid, { group: authentication });
  for (const [key, values] of extra) {
    for (const value of values) demand(`userextras/${key}`, value, { group: authentication });
  }
  return {
    username,
    groups: completed(username, groups.length > 0 ? groups : accountGroups(namespace)),
    ...(uid !== '' && { uid }),
    ...(extra.size > 0 && { extra: Object.fromEntries(extra) }),
  };
}

function extraOf(headers: Headers): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const [name, values = []] of Object.entries(headers)) {
    if (name.startsWith(extraPrefix)) extra.set(unescaped(name.slice(extraPrefix.length)), values);
  }
  return extra;
}

/** Returns a key with invalid escapes unchanged. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function accountGroups(namespace: string | undefined): string[] {
  return namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/**
 * Returns all groups of a user. Every user is in system:authenticated, except for the anonymous user and members of
 * system:unauthenticated.
 */
function completed(username: string, groups: readonly string[]): string[] {
  const unauthenticated = 'system:unauthenticated';
  const implied =
    username === 'system:anonymous' || groups.includes(unauthenticated)
      ? unauthenticated
      : 'system:authenticated';
  return [...new Set([...groups, implied])];
}

function checkAllowed(
  rbac: RbacAuthorizer,
  user: User,
  asked: { group: string; resource: string; name: string; namespace?: string },
): void {
  const [resource = '', subresource] = asked.resource.split(/\/(.*)/, 2);
  const attributes = { ...asked, verb: 'impersonate', resource, subresource };
  const { allowed, reason } = rbac.authorize(user, attributes);
  if (!allowed) throw fromStatus(forbiddenRequest(user, attributes, reason));
}
