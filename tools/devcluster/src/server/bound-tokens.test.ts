import { expect, it } from '@jest/globals';
import { textAt, valueAt } from '../object.js';
import { useCluster } from '../testing/harness.js';

/* The validity of certificates starts with the clock of the cluster, so it starts at the time of the machine. */
const start = Math.floor(Date.now() / 1000) * 1000;
let now = new Date(start);
const api = useCluster({ now: () => now });

const pods = '/api/v1/namespaces/default/pods';

async function isAuthenticated(token: string): Promise<boolean> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
  const { body } = await api.create('/apis/authentication.k8s.io/v1/tokenreviews', review);
  return valueAt(body, 'status', 'authenticated') === true;
}

it('keeps a token of a pod that is being deleted for a minute after the grace period', async () => {
  const account = '/api/v1/namespaces/default/serviceaccounts/default';
  await api.until(account, ({ status }) => status === 200);
  const spec = { nodeName: 'node-a', containers: [{ name: 'c', image: 'web:1' }] };
  await api.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'web' };
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { boundObjectRef } };
  const issued = await api.create(`${account}/token`, request);
  const token = textAt(issued.body, 'status', 'token');
  await api.remove(`${pods}/web`);
  now = new Date(start + 89_000);
  expect(await isAuthenticated(token)).toBe(true);
  now = new Date(start + 90_000);
  expect(await isAuthenticated(token)).toBe(false);
});
