import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from './api.js';
import { runLabel } from './scope.js';
import type { Target } from './target.js';

const timeoutMs = 180_000;
const pollMs = 200;

/**
 * Deletes the namespaces of a run and waits until they are gone. Without a controller manager nobody empties and
 * finalizes a namespace, so this does.
 *
 * @throws Error that names the namespaces that remain.
 */
export async function removeNamespaces(target: Target, run: string): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  const api = target.api(signal);
  const query = { labelSelector: `${runLabel}=${run}` };
  for (;;) {
    const { body } = await api.get('/api/v1/namespaces', { query });
    if (body.items.length === 0) return;
    for (const { metadata } of body.items) {
      if (metadata.deletionTimestamp === undefined) {
        await api.delete(`/api/v1/namespaces/${metadata.name}`);
      } else if (!target.needs.has('controllers')) await finalize(api, metadata.name);
    }
    if (signal.aborted) {
      throw new Error(`namespaces remain: ${body.items.map(({ metadata }) => metadata.name).join(', ')}`);
    }
    await delay(pollMs);
  }
}

/** What cases create in namespaces, by the path of the group. */
const collections: Readonly<Record<string, readonly string[]>> = {
  '/api/v1': ['configmaps', 'secrets', 'events', 'serviceaccounts', 'services'],
  '/apis/rbac.authorization.k8s.io/v1': ['rolebindings', 'roles'],
};

async function finalize(api: Api, name: string): Promise<void> {
  for (const [group, plurals] of Object.entries(collections)) {
    for (const plural of plurals) await api.delete(`${group}/namespaces/${name}/${plural}`);
  }
  const { body } = await api.get(`/api/v1/namespaces/${name}`);
  await api.put(`/api/v1/namespaces/${name}/finalize`, { ...body, spec: { finalizers: [] } });
}
