import type { KubeObject } from '@interlock/api';
import { MemoryCache } from '@interlock/kube/testing';

/** A cache that counts the objects that are read, except by their names. */
export class CountedCache<T extends KubeObject> extends MemoryCache<T> {
  reads = 0;

  override list(options?: { namespace?: string | undefined }): T[] {
    const found = super.list(options);
    this.reads += found.length;
    return found;
  }

  override byIndex(index: string, value: string): T[] {
    const { reads } = this;
    const found = super.byIndex(index, value);
    this.reads = reads + found.length;
    return found;
  }
}
