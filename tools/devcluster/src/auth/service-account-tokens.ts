import { goQuote } from '../schema/json.js';
import { randomUUID, type KeyObject } from 'node:crypto';
import { jwtKey } from './jwt.js';
import { serviceAccountGroups, serviceAccountName, type User } from './users.js';

/** Name and uid of the object to which a token is bound. */
export interface ObjectRef {
  name: string;
  uid: string;
}

/** The identity of a token. */
export interface TokenSubject {
  namespace: string;
  serviceAccount: ObjectRef;
  /** The object to which the token is bound. The token of a scheduled pod also names the node. */
  boundTo?: (ObjectRef & { kind: 'Pod' | 'Secret'; node?: ObjectRef | undefined }) | undefined;
}

interface TokenOptions {
  /** EC P-256; tokens stay valid across restarts if it is kept. */
  privateKey: KeyObject;
  issuer: string;
  /** The audiences of the API server: the first is the default of new tokens. */
  audiences: readonly [string, ...string[]];
  now: () => Date;
  /** Returns the uid of a ServiceAccount, Pod or Secret, or undefined if it does not exist. */
  uidOf: (kind: 'ServiceAccount' | 'Pod' | 'Secret', namespace: string, name: string) => string | undefined;
}

export type TokenVerdict =
  | { user: User; audiences: string[] }
  /** The problem with the token; undefined when the token is not from this cluster. */
  | { error: string | undefined };

/** Issues and checks ServiceAccount tokens. Source: Kubernetes pkg/serviceaccount (claims.go, jwt.go). */
export interface ServiceAccountTokens {
  issue(
    subject: TokenSubject,
    audiences: readonly string[],
    expirationSeconds: number,
  ): { token: string; expires: Date };
  /** Checks a token, which must be for one of `audiences`; default: the audiences of the API server. */
  verify(token: string, audiences?: readonly string[]): TokenVerdict;
}

export function serviceAccountTokens(options: TokenOptions): ServiceAccountTokens {
  const key = jwtKey(options.privateKey);
  return {
    issue({ namespace, serviceAccount, boundTo }, audiences, expirationSeconds) {
      const iat = Math.floor(options.now().getTime() / 1000);
      const exp = iat + expirationSeconds;
      const bound = boundTo && { [boundTo.kind.toLowerCase()]: { name: boundTo.name, uid: boundTo.uid } };
      const token = key.sign({
        aud: [...audiences],
        exp,
        iat,
        iss: options.issuer,
        jti: randomUUID(),
        'kubernetes.io': {
          namespace,
          ...(boundTo?.node !== undefined && { node: { ...boundTo.node } }),
          ...bound,
          serviceaccount: { name: serviceAccount.name, uid: serviceAccount.uid },
        },
        nbf: iat,
        sub: serviceAccountName(namespace, serviceAccount.name),
      });
      return { token, expires: new Date(exp * 1000) };
    },
    verify(token, accepted = options.audiences) {
      const claims = readClaims(key.claims(token));
      if (claims?.issuer !== options.issuer) return { error: undefined };
      const audiences = claims.audiences.filter((audience) => accepted.includes(audience));
      if (audiences.length === 0) {
        return {
          error: `token audiences ${quoted(claims.audiences)} is invalid for the target audiences ${quoted(accepted)}`,
        };
      }
      const error = whyInvalid(claims, options);
      return error === undefined ? { user: userOf(claims), audiences } : { error };
    },
  };
}

interface Claims extends TokenSubject {
  issuer: string;
  audiences: string[];
  id: string;
  expires: number;
  notBefore: number;
}

interface Payload {
  iss: string;
  aud: string[];
  jti: string;
  exp: number;
  nbf: number;
  'kubernetes.io': {
    namespace: string;
    serviceaccount: ObjectRef;
    node?: ObjectRef;
    pod?: ObjectRef;
    secret?: ObjectRef;
  };
}

/** Returns the claims in a payload. The key signed the payload, so it has the shape that `issue` wrote. */
function readClaims(payload: unknown): Claims | undefined {
  if (payload === undefined) return undefined;
  const { iss, aud, jti, exp, nbf, 'kubernetes.io': own } = payload as Payload;
  const { namespace, serviceaccount, node, pod, secret } = own;
  const boundTo = pod
    ? ({ kind: 'Pod', ...pod, node } as const)
    : secret && ({ kind: 'Secret', ...secret } as const);
  return {
    issuer: iss,
    audiences: aud,
    id: jti,
    expires: exp,
    notBefore: nbf,
    namespace,
    serviceAccount: serviceaccount,
    boundTo,
  };
}

function whyInvalid(claims: Claims, { now, uidOf }: TokenOptions): string | undefined {
  const seconds = now().getTime() / 1000;
  if (seconds >= claims.expires) return 'service account token has expired';
  if (seconds < claims.notBefore) return 'service account token is not valid yet';
  const { namespace, serviceAccount, boundTo } = claims;
  const uid = uidOf('ServiceAccount', namespace, serviceAccount.name);
  if (uid === undefined) return `serviceaccounts ${goQuote(serviceAccount.name)} not found`;
  if (uid !== serviceAccount.uid) {
    return `service account UID (${uid}) does not match claim (${serviceAccount.uid})`;
  }
  if (boundTo !== undefined && uidOf(boundTo.kind, namespace, boundTo.name) !== boundTo.uid) {
    return 'service account token has been invalidated';
  }
  return undefined;
}

function userOf({ namespace, serviceAccount, boundTo, id }: Claims): User {
  return {
    username: serviceAccountName(namespace, serviceAccount.name),
    uid: serviceAccount.uid,
    groups: serviceAccountGroups(namespace),
    extra: {
      'authentication.kubernetes.io/credential-id': [`JTI=${id}`],
      ...(boundTo?.kind === 'Pod'
        ? {
            'authentication.kubernetes.io/pod-name': [boundTo.name],
            'authentication.kubernetes.io/pod-uid': [boundTo.uid],
          }
        : {}),
      ...(boundTo?.node !== undefined && {
        'authentication.kubernetes.io/node-name': [boundTo.node.name],
        ...(boundTo.node.uid !== '' && { 'authentication.kubernetes.io/node-uid': [boundTo.node.uid] }),
      }),
    },
  };
}

function quoted(values: readonly string[]): string {
  return `[${values.map((value) => goQuote(value)).join(' ')}]`;
}
