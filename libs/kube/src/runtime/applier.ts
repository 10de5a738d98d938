import { createHash } from 'node:crypto';
import { keyString, objectKey, type Kind, type KubeObject } from '@interlock/api';
import { LRUCache } from 'lru-cache';
import type { CacheReader } from '../cache/types.js';
import type { ApplyConfiguration, Client } from '../client/types.js';

const remembered = 20_000;

/**
 * Server-side apply of children, without the calls that would change nothing: an object that has not changed since this
 * process applied the same configuration is left alone. After a restart each is applied once more, which is a no-op at
 * the server. Comparing the cached object alone would not do, as it cannot show a field that is to be given up. Changes by
 * others show by uid and `metadata.generation`, so it is for kinds that have one.
 */
export class Applier {
  private readonly applied = new LRUCache<string, { digest: string; uid: string; generation: number }>({
    /* With `max`, the cache would allocate the space of all entries at once. */
    maxSize: remembered,
    sizeCalculation: () => 1,
  });

  constructor(
    private readonly client: Client,
    private readonly fieldManager: string,
  ) {}

  /** @returns whether a call was made. @throws ApiError */
  async apply<T extends KubeObject>(
    kind: Kind<T>,
    cache: CacheReader<T>,
    configuration: ApplyConfiguration,
  ): Promise<boolean> {
    const { name, namespace } = configuration.metadata;
    const key = objectKey(namespace, name);
    const memory = `${kind.group}/${kind.plural}/${keyString(key)}`;
    const digest = createHash('sha256').update(JSON.stringify(configuration)).digest('base64');
    const known = this.applied.get(memory);
    const current = cache.get(key)?.metadata;
    if (known?.digest === digest && known.uid === current?.uid && known.generation === current.generation) {
      return false;
    }
    const { metadata } = await this.client.apply(kind, configuration, { fieldManager: this.fieldManager });
    this.applied.set(memory, { digest, uid: metadata.uid ?? '', generation: metadata.generation ?? 0 });
    return true;
  }
}
