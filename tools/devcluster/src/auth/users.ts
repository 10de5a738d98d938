import type { JsonObject } from '../schema/types.js';

/** The user that makes a request (authentication.k8s.io/v1 UserInfo). */
export interface User {
  username: string;
  uid?: string;
  groups: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

export const authenticated = 'system:authenticated';
export const unauthenticated = 'system:unauthenticated';
/** Members of this group have all permissions. */
export const masters = 'system:masters';

/** The user of a request without a credential. */
export const anonymous: User = { username: 'system:anonymous', groups: [unauthenticated] };

/** The user of the static admin token. */
export const adminUser: User = { username: 'kubernetes-admin', groups: [masters, authenticated] };

/** Returns the user name of a ServiceAccount. */
export function serviceAccountName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Returns the groups of a ServiceAccount, in the order in which the API server reports them. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, authenticated];
}

/** Returns the user as an API object. */
export function userInfo({ username, uid, groups, extra }: User): JsonObject {
  return {
    username,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra === undefined ? {} : { extra: mapValues(extra, (values) => [...values]) }),
  };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
