import { TypedError, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import type { Lease } from '../client/kinds.js';
import type { CallOptions } from '../client/types.js';

/** One Lease with optimistic locking, whose server can be unavailable or silent. */
export class LeaseServer {
  lease: Lease | undefined;
  state: 'up' | 'away' | 'silent' = 'up';
  writes = 0;
  reads = 0;
  #version = 0;

  async get<T extends KubeObject>(_kind: Kind<T>, _key: ObjectKey, options: CallOptions = {}): Promise<T> {
    this.reads++;
    await this.#answer(options);
    if (this.lease === undefined) throw new TypedError('NotFound', 'no lease');
    return structuredClone(this.lease) as KubeObject as T;
  }

  async create<T extends KubeObject>(_kind: Kind<T>, object: unknown, options: CallOptions = {}): Promise<T> {
    await this.#answer(options);
    if (this.lease !== undefined) throw new TypedError('Conflict', 'exists', { reason: 'AlreadyExists' });
    return this.#store(object as Lease) as KubeObject as T;
  }

  async update<T extends KubeObject>(_kind: Kind<T>, object: T, options: CallOptions = {}): Promise<T> {
    await this.#answer(options);
    if (this.lease === undefined) throw new TypedError('NotFound', 'no lease');
    if (object.metadata.resourceVersion !== this.lease.metadata.resourceVersion)
      throw new TypedError('Conflict', 'changed');
    return this.#store(object as KubeObject as Lease) as KubeObject as T;
  }

  #store(lease: Lease): Lease {
    this.writes++;
    const metadata = { ...lease.metadata, resourceVersion: String(++this.#version) };
    this.lease = structuredClone({ ...lease, metadata });
    return structuredClone(this.lease);
  }

  async #answer({ signal }: CallOptions): Promise<void> {
    if (this.state === 'away') throw new TypedError('Transient', 'no connection');
    if (this.state === 'silent') {
      await new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(new TypedError('Transient', 'aborted'))),
      );
    }
  }
}
