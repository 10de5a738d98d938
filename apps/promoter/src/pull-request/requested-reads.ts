import { annotations, keyString, type ObjectKey, type PullRequest } from '@interlock/api';
import { annotationsChanged } from '@interlock/kube';

/** Passes an object whose annotation requests a read of its pull request. */
export const readRequested = annotationsChanged(annotations.pullRequestEventAt);

/**
 * The reads of pull requests that are due, regardless of their status: webhooks request them by an annotation, and the promoter
 * requests them itself after a refusal. Each request is fulfilled once. The record of fulfilled requests is kept in memory, so
 * requests of webhooks are fulfilled once more after a restart.
 */
export class RequestedReads {
  /** The last value of the annotation whose request was fulfilled, by key. */
  readonly #followed = new Map<string, string>();
  readonly #own = new Set<string>();

  /** Returns whether a requested read has not been made yet. */
  isDue(pullRequest: PullRequest): boolean {
    const name = keyString(pullRequest.metadata);
    const at = requestOf(pullRequest);
    return this.#own.has(name) || (at !== undefined && this.#followed.get(name) !== at);
  }

  /** Requests a read. */
  request(key: ObjectKey): void {
    this.#own.add(keyString(key));
  }

  /** Records that all requests made before a pull request was observed have been fulfilled. */
  follow(pullRequest: PullRequest): void {
    const name = keyString(pullRequest.metadata);
    const at = requestOf(pullRequest);
    if (at !== undefined) this.#followed.set(name, at);
    this.#own.delete(name);
  }

  /** Releases the data of a deleted pull request. */
  forget(key: ObjectKey): void {
    this.#followed.delete(keyString(key));
    this.#own.delete(keyString(key));
  }
}

function requestOf({ metadata }: PullRequest): string | undefined {
  return metadata.annotations?.[annotations.pullRequestEventAt];
}
