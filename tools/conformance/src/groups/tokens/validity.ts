import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { createServiceAccount, eventually, requestToken, withToken } from '../../suite/callers.js';
import { claimsOf, forged } from '../../suite/jwt.js';
import type { Scope } from '../../suite/scope.js';
import { reviewSelf, reviewToken, verdictOn, whoIs } from '../../suite/reviews.js';

/** Waits until a token is no longer valid, because servers cache the validation for seconds. */
async function expectInvalidated(scope: Scope, token: string): Promise<void> {
  const caller = withToken(scope, token);
  const refused = await eventually(
    () => reviewSelf(caller),
    ({ status }) => status !== 201,
  );
  expect({ status: refused.status, reason: refused.body.reason }).toEqual({
    status: 401,
    reason: 'Unauthorized',
  });
  const review = await eventually(
    () => reviewToken(scope.api, { token }),
    ({ body }) => (body.status as { authenticated?: boolean }).authenticated !== true,
  );
  expect(review.body.status).toMatchObject({ error: expect.any(String) });
}

/** Declares the rules about the user and the lifetime of a token. */
export function validityRules(rule: Rule): void {
  rule('takes a token of a service account as a bearer token of its user and groups', async (scope) => {
    const { name, uid, username } = await createServiceAccount(scope);
    const info = await whoIs(withToken(scope, await requestToken(scope, name)));
    expect(info).toMatchObject({ username, uid });
    expect([...(info.groups ?? [])].sort()).toEqual([
      'system:authenticated',
      'system:serviceaccounts',
      `system:serviceaccounts:${scope.namespace}`,
    ]);
  });

  rule('answers a TokenReview with user, groups and audiences of the token', async (scope) => {
    const { name, uid, username } = await createServiceAccount(scope);
    const token = await requestToken(scope, name);
    const verdict = await verdictOn(scope.api, token);
    expect(verdict).toMatchObject({ authenticated: true, user: { username, uid } });
    expect(verdict.user?.groups).toContain(`system:serviceaccounts:${scope.namespace}`);
    expect(claimsOf(token).aud).toEqual(expect.arrayContaining(verdict.audiences ?? ['none']));
    expect(verdict.error ?? '').toBe('');
  });

  rule('answers a TokenReview of an invalid token with the error and no user', async (scope) => {
    for (const token of ['nonsense', 'a.b.c']) {
      const verdict = await verdictOn(scope.api, token);
      expect(verdict.authenticated ?? false).toBe(false);
      expect(verdict.user?.username ?? '').toBe('');
      expect(verdict.error).toContain('invalid bearer token');
    }
  });

  rule('refuses a request with an invalid token with 401 Unauthorized', async (scope) => {
    const { name } = await createServiceAccount(scope);
    const token = await requestToken(scope, name);
    const other = await createServiceAccount(scope);
    for (const invalid of ['nonsense', `${token}x`, forged(token, { sub: other.username })]) {
      const { status, body } = await withToken(scope, invalid).get(scope.core('configmaps'));
      expect(status).toBe(401);
      expect(body).toMatchObject({
        kind: 'Status',
        status: 'Failure',
        reason: 'Unauthorized',
        message: 'Unauthorized',
        code: 401,
      });
    }
    expect((await reviewSelf(withToken(scope, token))).status).toBe(201);
  });

  rule('takes a token for other audiences only where one of them is asked for', async (scope) => {
    const { name, username } = await createServiceAccount(scope);
    const token = await requestToken(scope, name, { audiences: ['vault', 'registry'] });
    expect((await reviewSelf(withToken(scope, token))).status).toBe(401);
    const own = await verdictOn(scope.api, token);
    expect(own.authenticated ?? false).toBe(false);
    expect(own.error).not.toBe('');
    const vault = await verdictOn(scope.api, token, ['vault', 'other']);
    expect(vault).toMatchObject({ authenticated: true, user: { username }, audiences: ['vault'] });
    expect((await verdictOn(scope.api, token, ['other'])).authenticated ?? false).toBe(false);
  });

  rule('takes a token for several audiences when the API server is one of them', async (scope) => {
    const { name, username } = await createServiceAccount(scope);
    const [audience = ''] = claimsOf(await requestToken(scope, name)).aud;
    const token = await requestToken(scope, name, { audiences: ['vault', audience] });
    expect((await whoIs(withToken(scope, token))).username).toBe(username);
  });

  rule('does not take a token any more once its service account is deleted', async (scope) => {
    const { name, username } = await createServiceAccount(scope);
    const token = await requestToken(scope, name);
    expect((await whoIs(withToken(scope, token))).username).toBe(username);
    expect((await scope.api.delete(scope.core('serviceaccounts', name))).status).toBe(200);
    await expectInvalidated(scope, token);
  });

  rule('does not take a token of a former service account of the same name', async (scope) => {
    const { name, uid } = await createServiceAccount(scope);
    const token = await requestToken(scope, name);
    await scope.api.delete(scope.core('serviceaccounts', name));
    const again = await scope.api.post(scope.core('serviceaccounts'), {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name },
    });
    expect(again.status).toBe(201);
    expect(again.body.metadata.uid).not.toBe(uid);
    await expectInvalidated(scope, token);
    const info = await whoIs(withToken(scope, await requestToken(scope, name)));
    expect(info.uid).toBe(again.body.metadata.uid);
  });

  rule('does not take a token any more once the Secret that it is bound to is deleted', async (scope) => {
    const { name, username } = await createServiceAccount(scope);
    const secret = scope.name('holder');
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: secret } };
    expect((await scope.api.post(scope.core('secrets'), object)).status).toBe(201);
    const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: secret };
    const token = await requestToken(scope, name, { boundObjectRef });
    expect((await whoIs(withToken(scope, token))).username).toBe(username);
    expect((await scope.api.delete(scope.core('secrets', secret))).status).toBe(200);
    await expectInvalidated(scope, token);
    const unbound = await requestToken(scope, name);
    expect((await whoIs(withToken(scope, unbound))).username).toBe(username);
  });
}
