import { setTimeout as delay } from 'node:timers/promises';
import { removeDeletedNamespaces } from '@interlock/envtest';
import { runLabel } from './scope.js';
import type { Target } from './target.js';

const timeoutMs = 300_000;
const callsTimeoutMs = timeoutMs + 10_000;
const pollMs = 200;

/**
 * Deletes the namespaces of a run and waits until they are gone. On a server without a controller manager, this empties
 * and finalizes them.
 *
 * @throws Error that names the namespaces that remain.
 */
export async function removeNamespaces(target: Target, run: string): Promise<void> {
  if (target.needs.has('controllers')) return deleteAndWait(target, run);
  const stopping = new AbortController();
  const client = target.connect();
  const problems = new Set<string>();
  const emptying = removeDeletedNamespaces(
    client,
    stopping.signal,
    (problem) => problems.add(problem),
    `${runLabel}=${run}`,
  );
  try {
    await deleteAndWait(target, run);
  } catch (error) {
    throw new Error([String(error), ...problems].join('; '), { cause: error });
  } finally {
    stopping.abort();
    await emptying;
    await client.close();
  }
}

async function deleteAndWait(target: Target, run: string): Promise<void> {
  const api = target.api(AbortSignal.timeout(callsTimeoutMs));
  const query = { labelSelector: `${runLabel}=${run}` };
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { body } = await api.get('/api/v1/namespaces', { query });
    if (body.items.length === 0) return;
    for (const { metadata } of body.items) {
      if (metadata.deletionTimestamp === undefined) {
        await api.delete(`/api/v1/namespaces/${metadata.name}`);
      }
    }
    if (performance.now() > deadline) {
      const names = body.items.map(({ metadata }) => metadata.name).join(', ');
      throw new Error(`namespaces of the run are still there after ${timeoutMs / 1000} s: ${names}`);
    }
    await delay(pollMs);
  }
}
