import { TypedError } from '@interlock/api';

/** Whom a client impersonates (Kubernetes, "User impersonation"). */
export interface Impersonation {
  user?: string | undefined;
  groups?: readonly string[] | undefined;
  uid?: string | undefined;
  extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The fields of a user of a kubeconfig, as they are in the file. */
export interface ImpersonationFields {
  as?: unknown;
  'as-groups'?: unknown;
  'as-uid'?: unknown;
  'as-user-extra'?: unknown;
}

type ImpersonationHeaders = Record<string, string | string[]>;

/**
 * Returns whom a user of a kubeconfig impersonates.
 *
 * @throws TypedError `Invalid` when a field has another type than in client-go, which refuses such a kubeconfig
 */
export function impersonationOf(fields: ImpersonationFields, name: string): Impersonation {
  const read = <T>(
    field: keyof ImpersonationFields,
    isValid: (value: unknown) => value is T,
    type: string,
  ) => {
    const value = fields[field] ?? undefined;
    if (value === undefined || isValid(value)) return value;
    throw new TypedError(
      'Invalid',
      `the field ${field} of the user ${JSON.stringify(name)} of the kubeconfig is not ${type}`,
    );
  };
  return {
    user: read('as', isText, 'a string'),
    groups: read('as-groups', isList, 'a list of strings'),
    uid: read('as-uid', isText, 'a string'),
    extra: read('as-user-extra', isMapOfLists, 'a map of lists of strings'),
  };
}

/**
 * Returns the impersonation of a kubeconfig's user with that of the command line. Like in kubectl, each field of the
 * command line replaces that of the kubeconfig only.
 *
 * @throws TypedError `Invalid` when it does not name a user (client-go, `validateAuthInfo`)
 */
export function mergedImpersonation(own: Impersonation, given: Impersonation, name: string): Impersonation {
  const merged = {
    user: given.user || own.user || undefined,
    groups: given.groups?.length ? given.groups : own.groups,
    uid: given.uid || own.uid || undefined,
    extra: given.extra ?? own.extra,
  };
  const { user, groups = [], uid, extra = {} } = merged;
  if (user === undefined && (groups.length > 0 || uid !== undefined || Object.keys(extra).length > 0))
    throw new TypedError(
      'Invalid',
      `groups, a UID or extra fields are impersonated without a user; set --as, or \`as\` of the user ${JSON.stringify(name)} of the kubeconfig`,
    );
  return merged;
}

/** Returns the request headers for an impersonation (client-go, `NewImpersonatingRoundTripper`). */
export function impersonationHeaders({ user, groups, uid, extra }: Impersonation): ImpersonationHeaders {
  if (user === undefined) return {};
  const headers: ImpersonationHeaders = { 'impersonate-user': bytes(user) };
  if (groups?.length) headers['impersonate-group'] = groups.map(bytes);
  if (uid !== undefined) headers['impersonate-uid'] = bytes(uid);
  for (const [key, values] of Object.entries(extra ?? {})) {
    /* Header names, and hence these keys, are not case-sensitive. */
    const header = `impersonate-extra-${escaped(key)}`.toLowerCase();
    headers[header] = [...(headers[header] ?? []), ...values.map(bytes)];
  }
  return headers;
}

/** Returns a text for undici, which sends each character as one byte, with its UTF-8 encoding. */
function bytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Returns a key with percent-encoding for all characters that a header name must not contain, and the percent sign. */
function escaped(key: string): string {
  return bytes(key).replace(
    /[^!#$&'*+\-.^_`|~0-9A-Za-z]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isMapOfLists(value: unknown): value is Record<string, string[]> {
  return (
    typeof value === 'object' && value !== null && Object.values(value).every(isList) && !Array.isArray(value)
  );
}
