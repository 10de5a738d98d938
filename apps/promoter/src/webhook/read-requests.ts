import {
  annotations,
  GitRepository,
  ifFound,
  isTyped,
  keyOf,
  keyString,
  PullRequest,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import { KeyedLock, type Clock, type Logger } from '@interlock/base';
import type { Client } from '@interlock/kube';
import { Debounce } from './debounce.js';

/** The events of one push, or of one merge, arrive within a second or two. */
const intervalMs = 2_000;

/**
 * Requests reads from the leader by annotations, for the objects that webhooks report: each object once in an interval. The objects of
 * a namespace take turns, because one event can concern all pull requests of a tenant.
 */
export class ReadRequests {
  readonly #client: Pick<Client, 'patch'>;
  readonly #clock: Pick<Clock, 'now' | 'setTimeout'>;
  readonly #log: Logger;
  readonly #debounce: Debounce;
  readonly #turns = new KeyedLock();

  constructor(client: Pick<Client, 'patch'>, clock: Pick<Clock, 'now' | 'setTimeout'>, log: Logger) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
    this.#debounce = new Debounce(clock, log, intervalMs);
  }

  /** Requests a read of the remote. */
  refresh(repository: GitRepository): Promise<void> {
    return this.#annotate(GitRepository, repository, annotations.refreshedAt);
  }

  /** Requests a read of the pull request at the SCM. */
  read(pullRequest: PullRequest): Promise<void> {
    return this.#annotate(PullRequest, pullRequest, annotations.pullRequestEventAt);
  }

  #annotate<T extends KubeObject>(kind: Kind<T>, object: T, annotation: string): Promise<void> {
    const key = keyOf(object);
    return this.#debounce.run(`${kind.kind} ${keyString(key)}`, async () => {
      try {
        await this.#turns.run(key.namespace ?? '', async () => {
          const at = new Date(this.#clock.now()).toISOString();
          const patch = { metadata: { annotations: { [annotation]: at } } };
          /* It may have been deleted in the meantime. */
          await ifFound(this.#client.patch(kind, key, { type: 'merge', patch }));
        });
      } catch (error) {
        if (!isTyped(error, 'Invalid')) throw error;
        /* Its owner has made it invalid to change, which must not fail a webhook that other objects need as well. */
        this.#log.warn({ key, kind: kind.kind, error: error.message }, 'the object cannot be annotated');
      }
    });
  }
}
