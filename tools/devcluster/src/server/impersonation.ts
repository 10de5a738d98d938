import type { IncomingHttpHeaders } from 'node:http';
import { forbiddenRequest, type RbacAuthorizer, type User } from '../auth/index.js';
import { badRequest, fromStatus } from '../api/api-error.js';

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/**
 * The user that a request is made as: the one of the `Impersonate-User` and `Impersonate-Group` headers when `user` may
 * impersonate them, else `user`. Throws a 403, or a 400 for groups without a user. Source: apiserver
 * endpoints/filters/impersonation.go; uids and extra are not taken.
 */
export function impersonated(rbac: RbacAuthorizer, user: User, headers: IncomingHttpHeaders): User {
  const username = headers['impersonate-user'];
  const given = headers['impersonate-group'];
  const groups = given === undefined ? [] : [given].flat().flatMap((text) => text.split(', '));
  if (username === undefined || Array.isArray(username) || username === '') {
    if (groups.length > 0) throw badRequest(`requested [${groups.join(' ')}] without impersonating a user`);
    return user;
  }
  const [, namespace, account] = SERVICE_ACCOUNT.exec(username) ?? [];
  if (namespace === undefined || account === undefined) demand(rbac, user, 'users', username);
  else demand(rbac, user, 'serviceaccounts', account, namespace);
  for (const group of groups) demand(rbac, user, 'groups', group);
  return { username, groups: [...new Set([...groups, ...impliedGroups(username, namespace)])] };
}

function impliedGroups(username: string, namespace: string | undefined): string[] {
  if (username === 'system:anonymous') return ['system:unauthenticated'];
  if (namespace === undefined) return ['system:authenticated'];
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}

function demand(rbac: RbacAuthorizer, user: User, resource: string, name: string, namespace = ''): void {
  const attributes = { verb: 'impersonate', group: '', resource, name, namespace };
  const { allowed, reason } = rbac.authorize(user, attributes);
  if (!allowed) throw fromStatus(forbiddenRequest(user, attributes, reason));
}
