import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { authenticator, type Authenticator } from './authenticate.js';
import { jwtKey } from './jwt.js';
import { serviceAccountTokens, type ServiceAccountTokens } from './service-account-tokens.js';
import { answerTokenRequest, type TokenRequestContext, type TokenRequestSpec } from './token-request.js';

const api = 'https://api.test';
const testTime = new Date('2030-01-01T00:00:00Z');
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const privateKey = newKey();
const robot = { namespace: 'team', serviceAccount: { name: 'robot', uid: 'sa-1' } };

let now: Date;
let uids: Map<string, string>;
let tokens: ServiceAccountTokens;
let auth: Authenticator;

beforeEach(() => {
  now = testTime;
  uids = new Map([
    ['ServiceAccount/team/robot', 'sa-1'],
    ['Pod/team/pod', 'pod-1'],
    ['Secret/team/secret', 'secret-1'],
  ]);
  tokens = issuedBy(api);
  auth = authenticator('letmein', tokens);
});

function issuedBy(issuer: string, key = privateKey): ServiceAccountTokens {
  return serviceAccountTokens({
    privateKey: key,
    issuer,
    audiences: [api],
    now: () => now,
    uidOf: (kind, namespace, name) => uids.get(`${kind}/${namespace}/${name}`),
  });
}

function payload(token: string): unknown {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
}

describe('ServiceAccount tokens', () => {
  it('contain the claims of Kubernetes', () => {
    const { token, expires } = tokens.issue(
      { ...robot, boundTo: { kind: 'Pod', name: 'pod', uid: 'pod-1' } },
      [api],
      600,
    );
    const iat = testTime.getTime() / 1000;
    expect(payload(token)).toEqual({
      aud: [api],
      exp: iat + 600,
      iat,
      iss: api,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'kubernetes.io': {
        namespace: 'team',
        pod: { name: 'pod', uid: 'pod-1' },
        serviceaccount: { name: 'robot', uid: 'sa-1' },
      },
      nbf: iat,
      sub: 'system:serviceaccount:team:robot',
    });
    expect(expires).toEqual(new Date('2030-01-01T00:10:00Z'));
  });

  it('identify the service account, its groups and its pod', () => {
    const { token } = tokens.issue(
      { ...robot, boundTo: { kind: 'Pod', name: 'pod', uid: 'pod-1' } },
      [api],
      600,
    );
    expect(auth.authenticate(`Bearer ${token}`)).toEqual({
      username: 'system:serviceaccount:team:robot',
      uid: 'sa-1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:team', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)],
        'authentication.kubernetes.io/pod-name': ['pod'],
        'authentication.kubernetes.io/pod-uid': ['pod-1'],
      },
    });
  });

  it('are valid across restarts only with the same key', () => {
    const { token } = tokens.issue(robot, [api], 600);
    expect(issuedBy(api).verify(token)).toHaveProperty('user');
    expect(issuedBy(api, newKey()).verify(token)).toEqual({ error: undefined });
    expect(issuedBy('https://other.test').verify(token)).toEqual({ error: undefined });
  });

  it.each<[string, () => void, string]>([
    ['expired', () => (now = new Date('2030-01-01T00:10:00Z')), 'service account token has expired'],
    [
      'not valid yet',
      () => (now = new Date('2029-12-31T23:59:59Z')),
      'service account token is not valid yet',
    ],
    [
      'of a deleted account',
      () => uids.delete('ServiceAccount/team/robot'),
      'serviceaccounts "robot" not found',
    ],
    [
      'of a recreated account',
      () => uids.set('ServiceAccount/team/robot', 'sa-2'),
      'service account UID (sa-2) does not match claim (sa-1)',
    ],
    [
      'bound to a deleted secret',
      () => uids.delete('Secret/team/secret'),
      'service account token has been invalidated',
    ],
    [
      'bound to a recreated secret',
      () => uids.set('Secret/team/secret', 's-2'),
      'service account token has been invalidated',
    ],
  ])('are refused when they are %s', (_, change, error) => {
    const { token } = tokens.issue(
      { ...robot, boundTo: { kind: 'Secret', name: 'secret', uid: 'secret-1' } },
      [api],
      600,
    );
    expect(tokens.verify(token)).toHaveProperty('user');
    change();
    expect(tokens.verify(token)).toEqual({ error });
    expect(auth.authenticate(`Bearer ${token}`)).toBeUndefined();
    expect(auth.reviewToken({ token })).toEqual({ user: {}, error: `[invalid bearer token, ${error}]` });
  });

  it('are valid only for their audiences', () => {
    const { token } = tokens.issue(robot, ['vault', api], 600);
    expect(auth.reviewToken({ token })).toMatchObject({ authenticated: true, audiences: [api] });
    expect(auth.reviewToken({ token, audiences: ['vault', 'x'] })).toMatchObject({
      authenticated: true,
      audiences: ['vault'],
    });
    expect(auth.reviewToken({ token, audiences: ['x'] })).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["vault" "${api}"] is invalid for the target audiences ["x"]]`,
    });
  });

  it('are refused when any part of them is changed', () => {
    const { token } = tokens.issue(robot, [api], 600);
    const [head, body, signature] = token.split('.') as [string, string, string];
    const forged = Buffer.from(JSON.stringify({ ...(payload(token) as object), exp: 9e9 })).toString(
      'base64url',
    );
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const changed of [
      `${head}.${forged}.${signature}`,
      `${none}.${body}.`,
      `${head}.${body}.${'A'.repeat(86)}`,
      `${head}.${body}`,
      `${token}.x`,
      'x'.repeat(20_000),
      '',
    ]) {
      expect(tokens.verify(changed)).toEqual({ error: undefined });
    }
  });
});

describe('jwtKey', () => {
  it('returns only claims that the key signed', () => {
    const key = jwtKey(privateKey);
    expect(key.claims(key.sign({ a: 1 }))).toEqual({ a: 1 });
    expect(jwtKey(newKey()).claims(key.sign({ a: 1 }))).toBeUndefined();
  });
});

describe('authenticate', () => {
  it.each([undefined, '', 'Basic abc', 'Bearer', 'Bearer  '])(
    'returns the anonymous user for the header %j',
    (header) => {
      expect(auth.authenticate(header)).toEqual({
        username: 'system:anonymous',
        groups: ['system:unauthenticated'],
      });
    },
  );

  it('accepts the admin token', () => {
    expect(auth.authenticate('bearer letmein')).toMatchObject({
      groups: ['system:masters', 'system:authenticated'],
    });
    expect(auth.reviewToken({ token: 'letmein' })).toMatchObject({
      authenticated: true,
      user: { username: 'kubernetes-admin' },
    });
  });

  it('refuses any other token', () => {
    expect(auth.authenticate('Bearer letmei')).toBeUndefined();
    expect(auth.reviewToken({ token: 'nope' })).toEqual({ user: {}, error: 'invalid bearer token' });
    expect(auth.reviewToken({})).toEqual({ user: {}, error: 'invalid bearer token' });
  });
});

describe('answerTokenRequest', () => {
  const answer = (spec: TokenRequestSpec): ReturnType<typeof answerTokenRequest> => {
    const context: TokenRequestContext = {
      ...robot,
      audiences: [api],
      now,
      find: (kind, name) => {
        if (name === 'other') return { uid: 'pod-2', serviceAccountName: 'default' };
        const uid = uids.get(`${kind}/team/${name}`);
        return uid === undefined
          ? undefined
          : { uid, ...(kind === 'Pod' ? { serviceAccountName: 'robot' } : {}) };
      },
      tokens,
    };
    return answerTokenRequest(spec, context);
  };

  it('sets the defaults', () => {
    const result = answer({});
    expect(result).toEqual({
      object: {
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: {
          name: 'robot',
          namespace: 'team',
          uid: 'sa-1',
          creationTimestamp: '2030-01-01T00:00:00Z',
        },
        spec: { audiences: [api], expirationSeconds: 3600, boundObjectRef: null },
        status: { token: expect.any(String), expirationTimestamp: '2030-01-01T01:00:00Z' },
      },
    });
  });

  it('binds the token to a pod of the account', () => {
    const result = answer({
      audiences: ['vault'],
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'pod', uid: 'pod-1' },
    });
    const { token } = (result as { object: { status: { token: string } } }).object.status;
    expect(tokens.verify(token, ['vault'])).toMatchObject({
      user: { extra: { 'authentication.kubernetes.io/pod-uid': ['pod-1'] } },
    });
  });

  it.each<[TokenRequestSpec, number, string]>([
    [
      { expirationSeconds: 599 },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      { expirationSeconds: 2 ** 32 + 1 },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    [{ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'none' } }, 404, 'pods "none" not found'],
    [
      { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'other' } },
      400,
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    ],
    [
      { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'secret', uid: 'old' } },
      409,
      'Operation cannot be fulfilled on Secret "secret": the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      { boundObjectRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
      400,
      'cannot bind token to object of type apps/v1, Kind=Deployment',
    ],
  ])('refuses %j', (spec, code, message) => {
    expect(answer(spec)).toMatchObject({ status: { code, message } });
  });
});
