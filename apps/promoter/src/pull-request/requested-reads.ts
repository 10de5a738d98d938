import { annotations, keyString, type ObjectKey, type PullRequest } from '@interlock/api';
import { annotationsChanged } from '@interlock/kube';

/** A webhook has asked for a read of a pull request. */
export const readRequested = annotationsChanged(annotations.pullRequestEventAt);

/** The reads of pull requests that webhooks ask for by an annotation: each is followed once. */
export class RequestedReads {
  readonly #followed = new Map<string, string>();

  /** Takes the request of a pull request; false when there is none that was not taken before. */
  take({ metadata }: PullRequest): boolean {
    const at = metadata.annotations?.[annotations.pullRequestEventAt];
    const name = keyString(metadata);
    if (at === undefined || this.#followed.get(name) === at) return false;
    this.#followed.set(name, at);
    return true;
  }

  forget(key: ObjectKey): void {
    this.#followed.delete(keyString(key));
  }
}
