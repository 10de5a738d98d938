import type { Answer } from './api.js';
import type { Caller } from './callers.js';

/** The spec of an access review. */
interface AccessReviewSpec {
  user?: string;
  groups?: readonly string[];
  resourceAttributes?: Readonly<Record<string, string>>;
  nonResourceAttributes?: { path: string; verb: string };
}

const authorization = '/apis/authorization.k8s.io/v1';
const authentication = '/apis/authentication.k8s.io/v1';

function authorizationReview(kind: string, spec: object, metadata?: object): object {
  return { apiVersion: 'authorization.k8s.io/v1', kind, ...(metadata && { metadata }), spec };
}

/** Sends a review of what a user may do. */
export function reviewAccess(caller: Caller, spec: AccessReviewSpec, metadata?: object): Promise<Answer> {
  return caller.post(
    `${authorization}/subjectaccessreviews`,
    authorizationReview('SubjectAccessReview', spec, metadata),
  );
}

/** Sends a review of what the caller may do. */
export function reviewOwnAccess(caller: Caller, spec: AccessReviewSpec): Promise<Answer> {
  return caller.post(
    `${authorization}/selfsubjectaccessreviews`,
    authorizationReview('SelfSubjectAccessReview', spec),
  );
}

/** Sends a review of what a user may do in a namespace. */
export function reviewLocalAccess(
  caller: Caller,
  namespace: string,
  spec: AccessReviewSpec,
): Promise<Answer> {
  return caller.post(
    `${authorization}/namespaces/${namespace}/localsubjectaccessreviews`,
    authorizationReview('LocalSubjectAccessReview', spec, { namespace }),
  );
}

/** Requests the rules that apply to the caller in a namespace. */
export function reviewOwnRules(caller: Caller, namespace?: string): Promise<Answer> {
  return caller.post(
    `${authorization}/selfsubjectrulesreviews`,
    authorizationReview('SelfSubjectRulesReview', namespace === undefined ? {} : { namespace }),
  );
}

/** The user information of the API server. */
interface UserInfo {
  username: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

/** Requests the user information of the caller. */
export function reviewSelf(caller: Caller): Promise<Answer> {
  const kind = 'SelfSubjectReview';
  return caller.post(`${authentication}/selfsubjectreviews`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind,
  });
}

/** Returns the user of the caller. @throws Error if the server does not report it */
export async function whoIs(caller: Caller): Promise<UserInfo> {
  const { status, text, body } = await reviewSelf(caller);
  if (status !== 201) throw new Error(`SelfSubjectReview: ${status} ${text}`);
  return (body.status as { userInfo: UserInfo }).userInfo;
}

/** The status of a TokenReview. */
interface TokenVerdict {
  authenticated?: boolean;
  user?: Partial<UserInfo>;
  audiences?: string[];
  error?: string;
}

/** Sends a review of a token. */
export function reviewToken(
  caller: Caller,
  spec: { token?: string; audiences?: readonly string[] },
): Promise<Answer> {
  return caller.post(`${authentication}/tokenreviews`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec,
  });
}

/** Returns the result of the review of a token. @throws Error when the server does not create the review. */
export async function verdictOn(
  caller: Caller,
  token: string,
  audiences?: readonly string[],
): Promise<TokenVerdict> {
  const { status, text, body } = await reviewToken(caller, { token, ...(audiences && { audiences }) });
  if (status !== 201) throw new Error(`TokenReview: ${status} ${text}`);
  return body.status as TokenVerdict;
}

/** Returns whether the answer to an access review allows the operation. */
export function isAllowed({ body }: Answer): boolean {
  return (body.status as { allowed?: boolean } | undefined)?.allowed === true;
}
