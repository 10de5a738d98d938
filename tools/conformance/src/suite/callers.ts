import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Api, CallOptions } from './api.js';
import type { Scope } from './scope.js';

const pollMs = 50;

/** A client for one user. */
export type Caller = Pick<Api, 'get' | 'post' | 'put' | 'patch' | 'delete'>;

/** The impersonated user of a request, see "User impersonation" in the Kubernetes documentation. */
interface Impersonated {
  user: string;
  groups?: readonly string[] | undefined;
  uid?: string | undefined;
  extra?: Readonly<Record<string, string>> | undefined;
}

/** Returns a client that adds headers to each request. */
export function withHeaders(api: Caller, headers: Readonly<Record<string, string | string[]>>): Caller {
  const merged = <T extends CallOptions>(options?: T): T =>
    ({ ...options, headers: { ...headers, ...options?.headers } }) as T;
  return {
    get: (path, options) => api.get(path, merged(options)),
    post: (path, body, options) => api.post(path, body, merged(options)),
    put: (path, body, options) => api.put(path, body, merged(options)),
    patch: (path, type, body, options) => api.patch(path, type, body, merged(options)),
    delete: (path, options) => api.delete(path, merged(options)),
  };
}

/** Returns a client that impersonates a user. */
export function impersonate(api: Caller, { user, groups = [], uid, extra = {} }: Impersonated): Caller {
  return withHeaders(api, {
    'impersonate-user': user,
    ...(groups.length > 0 && { 'impersonate-group': [...groups] }),
    ...(uid !== undefined && { 'impersonate-uid': uid }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, value]) => [`impersonate-extra-${encodeURIComponent(key)}`, value]),
    ),
  });
}

/** Returns a client with a bearer token (undefined: anonymous) that closes with the case. */
export function withToken(scope: Scope, token: string | undefined): Api {
  const api = scope.api.as(token);
  scope.cleanup(() => api.close());
  return api;
}

/** Repeats a request until its response passes. @throws Error with the last response at the deadline of the case */
export async function eventually(
  send: () => Promise<Answer>,
  passes: (answer: Answer) => boolean,
): Promise<Answer> {
  let last: Answer | undefined;
  for (;;) {
    try {
      last = await send();
    } catch (error) {
      const answered = last === undefined ? 'no answer' : `${last.status} ${last.text}`;
      throw new Error(`the last answer was ${answered}: ${String(error)}`, { cause: error });
    }
    if (passes(last)) return last;
    await delay(pollMs);
  }
}

/** Repeats a request until the authorizer, which follows roles and bindings with a delay, allows it. */
export function whenAllowed(send: () => Promise<Answer>): Promise<Answer> {
  return eventually(send, ({ status }) => status !== 403);
}

/** Creates a ServiceAccount in the namespace of the group. @returns its name and uid. */
export async function createServiceAccount(
  scope: Scope,
  prefix = 'robot',
  namespace = scope.namespace,
): Promise<{ name: string; uid: string; username: string }> {
  const name = scope.name(prefix);
  const { status, text, body } = await scope.api.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name },
  });
  if (status !== 201) throw new Error(`the service account ${name} cannot be created: ${status} ${text}`);
  return { name, uid: body.metadata.uid, username: `system:serviceaccount:${namespace}:${name}` };
}

/** Returns the path of the tokens of a ServiceAccount. */
export function tokensOf(namespace: string, name: string): string {
  return `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
}

/** Returns a TokenRequest to create. */
export function tokenRequest(spec: Readonly<Record<string, unknown>> = {}): object {
  return { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
}

/** Requests a token of a ServiceAccount in the namespace of the group. */
export async function requestToken(
  scope: Scope,
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
  namespace = scope.namespace,
): Promise<string> {
  const { status, text, body } = await scope.api.post(tokensOf(namespace, name), tokenRequest(spec));
  if (status !== 201) throw new Error(`no token of ${name}: ${status} ${text}`);
  return (body.status as { token: string }).token;
}
