import { keyString, objectKey, type Kind, type KubeObject } from '@interlock/api';
import { canonicalDigest } from '@interlock/base';
import { LRUCache } from 'lru-cache';
import type { CacheReader } from '../cache/types.js';
import type { ApplyConfiguration, Client } from '../client/types.js';

/* If one round of reconciles needs more, each object is forgotten before it is needed again. 1,000 gateways with 20 groups have 34,000 objects. */
const remembered = 100_000;

/**
 * Applies children by server-side apply, without calls that would change nothing: an object that has not changed
 * since this process applied the same configuration is skipped. After a restart each is applied once more, which is a
 * no-op at the server. A comparison with the cached object is not sufficient, because it does not reveal a field that
 * has to be removed. Changes by others are detected by uid, labels, owners and `metadata.generation`; for kinds
 * without a generation, by everything except the status.
 */
export class Applier {
  /* By object: a digest of its configuration, and of what was stored. */
  readonly #applied = new LRUCache<string, string>({
    /* With `max`, the cache would allocate the space of all entries at once. */
    maxSize: remembered,
    sizeCalculation: () => 1,
  });
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Applies a configuration. Returns whether a call was made.
   *
   * @param configuration with `metadata.resourceVersion` it is applied only to that version of the object, and skipped all the
   *   same if nothing else has changed
   * @throws ApiError
   */
  async apply<T extends KubeObject>(
    kind: Kind<T>,
    cache: Pick<CacheReader<T>, 'get'>,
    configuration: ApplyConfiguration,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const { name, namespace } = configuration.metadata;
    const key = objectKey(namespace, name);
    const memory = `${kind.group}/${kind.plural}/${keyString(key)}`;
    const digest = canonicalDigest({
      ...configuration,
      metadata: { ...configuration.metadata, resourceVersion: undefined },
    });
    const stateWith = (stored: T) => canonicalDigest([digest, stored.metadata.uid, versionOf(stored)]);
    const current = cache.get(key);
    if (current !== undefined && this.#applied.get(memory) === stateWith(current)) return false;
    const applied = await this.#client.apply(kind, configuration, { signal });
    this.#applied.set(memory, stateWith(applied));
    return true;
  }
}

/** Returns a digest that changes when the desired state of an object is changed. */
function versionOf(object: KubeObject): string {
  const { generation, labels, annotations, ownerReferences } = object.metadata;
  /* Annotations do not count, because controllers write them, such as the revision of a Deployment. */
  if (generation !== undefined) return canonicalDigest({ generation, labels, ownerReferences });
  return canonicalDigest({
    ...object,
    status: undefined,
    metadata: { labels, annotations, ownerReferences },
  });
}
