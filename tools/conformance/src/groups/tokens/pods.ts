import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import {
  createServiceAccount,
  eventually,
  requestToken,
  tokenRequest,
  tokensOf,
  withToken,
} from '../../suite/callers.js';
import { claimsOf } from '../../suite/jwt.js';
import { createNode, createPod, podPath } from '../../suite/running-pods.js';
import { reviewSelf, verdictOn } from '../../suite/reviews.js';

const reference = (name: string, uid?: string): object => ({
  boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, ...(uid !== undefined && { uid }) },
});

/** Declares the rules about tokens that are bound to pods. */
export function podRules(rule: Rule): void {
  rule('binds a token to a pod, and names the pod in the verdict on it', async (scope) => {
    const { name } = await createServiceAccount(scope);
    const nodeName = await createNode(scope);
    const { metadata } = await createPod(scope, { spec: { serviceAccountName: name, nodeName } });
    const pod = { name: metadata.name, uid: metadata.uid };
    const token = await requestToken(scope, name, reference(pod.name, pod.uid) as Record<string, unknown>);
    expect(claimsOf(token)['kubernetes.io']).toMatchObject({ pod, node: { name: nodeName } });
    const verdict = await verdictOn(scope.api, token);
    expect(verdict).toMatchObject({
      authenticated: true,
      user: {
        extra: {
          'authentication.kubernetes.io/pod-name': [pod.name],
          'authentication.kubernetes.io/pod-uid': [pod.uid],
          'authentication.kubernetes.io/node-name': [nodeName],
        },
      },
    });
  });

  rule('refuses to bind a token to a pod of another service account or another uid', async (scope) => {
    const [mine, other] = [await createServiceAccount(scope), await createServiceAccount(scope)];
    const { metadata } = await createPod(scope, { spec: { serviceAccountName: mine.name } });
    const ask = (account: string, uid?: string) =>
      scope.api.post(
        tokensOf(scope.namespace, account),
        tokenRequest(reference(metadata.name, uid) as Record<string, unknown>),
      );
    expect(await ask(other.name)).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    const replaced = await ask(mine.name, '11111111-2222-3333-4444-555555555555');
    expect(replaced).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    expect((await ask(mine.name, metadata.uid)).status).toBe(201);
  });

  rule('refuses a token whose pod is gone', async (scope) => {
    const { name } = await createServiceAccount(scope);
    const { metadata } = await createPod(scope, { spec: { serviceAccountName: name } });
    const token = await requestToken(scope, name, reference(metadata.name) as Record<string, unknown>);
    const caller = withToken(scope, token);
    expect((await reviewSelf(caller)).status).toBe(201);
    await scope.api.delete(podPath(scope.namespace, metadata.name), { query: { gracePeriodSeconds: 0 } });
    const refused = await eventually(
      () => reviewSelf(caller),
      ({ status }) => status !== 201,
    );
    expect(refused.status).toBe(401);
  });
}
