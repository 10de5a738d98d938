import { setTimeout as sleep } from 'node:timers/promises';
import { isTyped, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import { isAlreadyExists, type CallOptions, type Client } from '@interlock/kube';

const timeoutMs = 60_000;
const pauseMs = 500;

/**
 * Returns a client whose calls tolerate a short outage of the API server: each call is repeated for up to a minute
 * while it fails with `Transient` or `RateLimited`. Watches and pages are not repeated, because their readers resume
 * them. A JSON patch is not repeated, because it may not be idempotent.
 */
export function retryingClient(client: Client): Client {
  return {
    get: (kind, key, options) => repeat(options, () => client.get(kind, key, options)),
    list: (kind, options) => repeat(options, () => client.list(kind, options)),
    listPages: (kind, options) => client.listPages(kind, options),
    watch: (kind, options) => client.watch(kind, options),
    create: (kind, object, options) => createOnce(client, kind, object, options),
    update: (kind, object, options) => repeat(options, () => client.update(kind, object, options)),
    patch: (kind, key, patch, options) =>
      patch.type === 'json'
        ? client.patch(kind, key, patch, options)
        : repeat(options, () => client.patch(kind, key, patch, options)),
    apply: (kind, object, options) => repeat(options, () => client.apply(kind, object, options)),
    delete: (kind, key, options) => deleteOnce(client, kind, key, options),
    resolveKind: (apiVersion, kind, options) =>
      repeat(options, () => client.resolveKind(apiVersion, kind, options)),
    raw: (request, options) => repeat(options, () => client.raw(request, options)),
    close: () => client.close(),
  };
}

async function repeat<T>(
  options: CallOptions | undefined,
  call: (failed: boolean) => Promise<T>,
): Promise<T> {
  const { signal } = options ?? {};
  const deadline = Date.now() + timeoutMs;
  for (let failed = false; ; failed = true) {
    try {
      return await call(failed);
    } catch (error) {
      if (!isTyped(error, 'Transient', 'RateLimited') || Date.now() > deadline) throw error;
    }
    signal?.throwIfAborted();
    await sleep(pauseMs);
  }
}

/* The response to an attempt may have been lost after the object was stored. */
async function createOnce<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  object: unknown,
  options: Parameters<Client['create']>[2],
): Promise<T> {
  return repeat(options, async (failed) => {
    try {
      return await client.create(kind, object, options);
    } catch (error) {
      const { metadata } = object as { metadata?: ObjectKey };
      if (!failed || !isAlreadyExists(error) || metadata === undefined) throw error;
      return client.get(kind, metadata, options);
    }
  });
}

async function deleteOnce(
  client: Client,
  kind: Kind,
  key: ObjectKey,
  options: Parameters<Client['delete']>[2],
): Promise<void> {
  await repeat(options, async (failed) => {
    try {
      await client.delete(kind, key, options);
    } catch (error) {
      if (!failed || !isTyped(error, 'NotFound')) throw error;
    }
  });
}
