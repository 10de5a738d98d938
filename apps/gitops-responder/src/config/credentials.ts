import { isTyped, TypedError } from '@interlock/api';
import { Secret, type Manager } from '@interlock/kube';
import { credentialData } from '@interlock/scm';
import type { SecretData } from './provider.js';

/**
 * The Secrets of the namespace of the configurations. Only their metadata is watched; the data of a Secret is read by its name
 * when it is needed, and not kept.
 */
export class Credentials {
  readonly #handlers: ((name: string) => void)[] = [];
  /** Times of observed changes by the local clock, which may differ from the clock of the API server. */
  readonly #seenAt = new Map<string, number>();

  readonly #manager: Manager;
  readonly #namespace: string;

  constructor(manager: Manager, namespace: string) {
    this.#manager = manager;
    this.#namespace = namespace;

    /* Managed fields record when a Secret was last written. */
    const secrets = manager.cache(Secret, { namespace, metadataOnly: true, transform: (secret) => secret });
    secrets.subscribe((event) => {
      const { name } = event.object.metadata;
      if (event.type === 'added' && event.initial) {
        this.#seenAt.set(name, Math.min(writtenAt(event.object), manager.clock.now()));
        return;
      }
      if (event.type === 'deleted') this.#seenAt.delete(name);
      else this.#seenAt.set(name, manager.clock.now());
      for (const handler of this.#handlers) handler(name);
    });
  }

  /** Registers a handler for written and removed Secrets. Call it before the manager runs. */
  onChange(handler: (name: string) => void): void {
    this.#handlers.push(handler);
  }

  /**
   * Returns when a Secret was last written, in milliseconds since the epoch; undefined if it does not exist. It is never in
   * the future of the local clock, although the clock of the API server may be ahead.
   */
  changedAt(name: string): number | undefined {
    return this.#seenAt.get(name);
  }

  /**
   * Returns the decoded data of a Secret.
   * @throws TypedError `Unauthorized` with reason `SecretNotFound` or `SecretTypeNotAllowed`.
   */
  async read(name: string, signal?: AbortSignal): Promise<SecretData> {
    const key = { namespace: this.#namespace, name };
    try {
      return credentialData(await this.#manager.client.get(Secret, key, { signal }), 'provider');
    } catch (error) {
      if (!isTyped(error, 'NotFound')) throw error;
      throw new TypedError('Unauthorized', `Secret ${this.#namespace}/${name} does not exist; create it`, {
        reason: 'SecretNotFound',
        cause: error,
      });
    }
  }
}

/** Returns when a Secret was last written by the clock of the API server, in milliseconds since the epoch. */
function writtenAt({ metadata }: Secret): number {
  const writers = (metadata.managedFields ?? []) as readonly { time?: string }[];
  const times = [metadata.creationTimestamp, ...writers.map(({ time }) => time)];
  return Math.max(0, ...times.map((time) => Date.parse(time ?? '')).filter((at) => !Number.isNaN(at)));
}
