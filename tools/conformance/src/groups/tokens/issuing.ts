import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import {
  createServiceAccount,
  impersonate,
  requestToken,
  tokenRequest,
  tokensOf,
  whenAllowed,
} from '../../suite/callers.js';
import { expectInvalid } from '../../suite/invalid.js';
import { claimsOf } from '../../suite/jwt.js';
import { coreRule, grant, user } from '../../suite/rbac.js';

/** Declares the rules about the response to a TokenRequest. */
export function issuingRules(rule: Rule): void {
  rule('issues a token that states the service account, its namespace and its lifetime', async (scope) => {
    const { name, uid, username } = await createServiceAccount(scope);
    const request = tokenRequest({ expirationSeconds: 600 });
    const { status, body } = await scope.api.post(tokensOf(scope.namespace, name), request);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace: scope.namespace },
      spec: { expirationSeconds: 600 },
    });
    const { token, expirationTimestamp } = body.status as { token: string; expirationTimestamp: string };
    const claims = claimsOf(token);
    expect(claims).toMatchObject({
      sub: username,
      'kubernetes.io': { namespace: scope.namespace, serviceaccount: { name, uid } },
    });
    expect(claims.exp - claims.iat).toBe(600);
    expect(Date.parse(expirationTimestamp)).toBe(claims.exp * 1000);
    expect(body.spec?.['audiences']).toEqual(claims.aud);
  });

  rule('issues a token for an hour unless the request states otherwise', async (scope) => {
    const { name } = await createServiceAccount(scope);
    const { status, body } = await scope.api.post(tokensOf(scope.namespace, name), tokenRequest());
    expect(status).toBe(201);
    expect(body.spec).toMatchObject({ expirationSeconds: 3600 });
    const { exp, iat } = claimsOf((body.status as { token: string }).token);
    expect(exp - iat).toBe(3600);
  });

  rule('refuses a lifetime below 10 minutes and above 2^32 seconds', async (scope) => {
    const { name } = await createServiceAccount(scope);
    for (const expirationSeconds of [599, 2 ** 32 + 1, 0, -1]) {
      const refused = await scope.api.post(
        tokensOf(scope.namespace, name),
        tokenRequest({ expirationSeconds }),
      );
      expectInvalid(refused, { 'spec.expirationSeconds': 'FieldValueInvalid' });
    }
    await requestToken(scope, name, { expirationSeconds: 600 });
  });

  rule('issues a token for the audiences of the request', async (scope) => {
    const { name } = await createServiceAccount(scope);
    const audiences = ['vault', 'https://example.dev'];
    const token = await requestToken(scope, name, { audiences });
    expect(claimsOf(token).aud).toEqual(audiences);
    expect(claimsOf(await requestToken(scope, name)).aud).not.toContain('vault');
  });

  rule('answers a TokenRequest for a missing service account with 404', async (scope) => {
    const name = scope.name('missing');
    const { status, body } = await scope.api.post(tokensOf(scope.namespace, name), tokenRequest());
    expect(status).toBe(404);
    expect(body).toMatchObject({ reason: 'NotFound', details: { name, kind: 'serviceaccounts' } });
    expect(body.message).toContain(`serviceaccounts "${name}" not found`);
  });

  rule('does not store tokens', async (scope) => {
    const { name } = await createServiceAccount(scope);
    await requestToken(scope, name);
    const { status, body } = await scope.api.get(tokensOf(scope.namespace, name));
    expect({ status, reason: body.reason }).toEqual({ status: 405, reason: 'MethodNotAllowed' });
    const { body: account } = await scope.api.get(scope.core('serviceaccounts', name));
    expect(account['secrets']).toBeUndefined();
  });

  rule('issues tokens of one service account to a user with create on its token', async (scope) => {
    const [mine, other] = [await createServiceAccount(scope), await createServiceAccount(scope)];
    const alice = scope.name('alice');
    const allowed = { ...coreRule(['create'], 'serviceaccounts/token'), resourceNames: [mine.name] };
    await grant(scope, [user(alice)], [allowed]);
    const caller = impersonate(scope.api, { user: alice });
    const ask = (name: string) => caller.post(tokensOf(scope.namespace, name), tokenRequest());
    expect((await whenAllowed(() => ask(mine.name))).status).toBe(201);
    expect((await ask(other.name)).status).toBe(403);
  });

  rule('binds a token to a Secret', async (scope) => {
    const { name } = await createServiceAccount(scope);
    const secret = scope.name('holder');
    const created = await scope.api.post(scope.core('secrets'), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secret },
    });
    const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: secret };
    const token = await requestToken(scope, name, { boundObjectRef });
    expect(claimsOf(token)['kubernetes.io'].secret).toEqual({ name: secret, uid: created.body.metadata.uid });
  });

  rule(
    'refuses to bind a token to an object that is missing, another one, or of another kind',
    async (scope) => {
      const { name } = await createServiceAccount(scope);
      const secret = scope.name('holder');
      const bind = (kind: string, bound: string, uid?: string) =>
        scope.api.post(
          tokensOf(scope.namespace, name),
          tokenRequest({ boundObjectRef: { apiVersion: 'v1', kind, name: bound, ...(uid && { uid }) } }),
        );
      const missing = await bind('Secret', secret);
      expect(missing.status).toBe(404);
      expect(missing.body.message).toContain(`secrets "${secret}" not found`);
      const { body } = await scope.api.post(scope.core('secrets'), {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: secret },
      });
      const replaced = await bind('Secret', secret, '11111111-2222-3333-4444-555555555555');
      expect({ status: replaced.status, reason: replaced.body.reason }).toEqual({
        status: 409,
        reason: 'Conflict',
      });
      const unsupported = await bind('ConfigMap', secret);
      expect({ status: unsupported.status, reason: unsupported.body.reason }).toEqual({
        status: 400,
        reason: 'BadRequest',
      });
      expect((await bind('Secret', secret, body.metadata.uid)).status).toBe(201);
    },
  );
}
