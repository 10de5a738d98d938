import { isTyped, messageOf } from '@interlock/api';
import { retryPolicy, type RetryPolicy } from './retry-policy.js';

interface Failure {
  attempt: number;
  /** Consecutive refusals of this process or its credentials, up to this failure. */
  refusals: number;
  /** Identifies the failure among those of the key. */
  text: string;
  heldUntil: number;
}

/** Tracks the failures of keys since their last success. */
export class Failures {
  readonly #failures = new Map<string, Failure>();

  /**
   * Records a failure of `key`. Returns the policy, and whether the same failure was reported before.
   *
   * @param generation generation of the reconciled object: the same failure of another generation is new
   */
  note(
    key: string,
    error: unknown,
    generation: number | undefined,
    now: number,
  ): { policy: RetryPolicy; attempt: number; repeated: boolean } {
    const before = this.#failures.get(key);
    const attempt = (before?.attempt ?? 0) + 1;
    /* A server that was unreachable before refuses for the first time when it starts. */
    const refusals = isTyped(error, 'Unauthorized') ? (before?.refusals ?? 0) + 1 : 0;
    const policy = retryPolicy(error, refusals || attempt);
    const text = `${isTyped(error) ? error.type : 'panic'} ${generation ?? ''} ${messageOf(error)}`;
    this.#failures.set(key, {
      attempt: policy.failure ? attempt : attempt - 1,
      refusals,
      text,
      heldUntil: now + policy.holdOffMs,
    });
    return { policy, attempt, repeated: before?.text === text };
  }

  /** Returns whether the last reconcile of `key` failed. */
  isFailing(key: string): boolean {
    return this.#failures.has(key);
  }

  /** Returns the milliseconds for which events of `key` must wait. */
  heldFor(key: string, now: number): number {
    return Math.max(0, (this.#failures.get(key)?.heldUntil ?? 0) - now);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}
