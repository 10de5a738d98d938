import { isTyped, messageOf } from '@interlock/api';
import { retryPolicy, type RetryPolicy } from './retry-policy.js';

interface Failure {
  attempt: number;
  said: string;
  heldUntil: number;
}

/** What the keys that fail have gone through since they last succeeded. */
export class Failures {
  readonly #failures = new Map<string, Failure>();

  /**
   * Notes a failure of `key`.
   *
   * @param generation of the object that was reconciled: the same complaint about another generation is news
   * @returns the policy, and whether the same was said before
   */
  note(
    key: string,
    error: unknown,
    generation: number | undefined,
    now: number,
  ): { policy: RetryPolicy; attempt: number; repeated: boolean } {
    const before = this.#failures.get(key);
    const attempt = (before?.attempt ?? 0) + 1;
    const policy = retryPolicy(error, attempt);
    const said = `${isTyped(error) ? error.type : 'panic'} ${generation ?? ''} ${messageOf(error)}`;
    this.#failures.set(key, {
      attempt: policy.failure ? attempt : attempt - 1,
      said,
      heldUntil: now + policy.holdOffMs,
    });
    return { policy, attempt, repeated: before?.said === said };
  }

  /** Whether the last reconcile of `key` failed. */
  isFailing(key: string): boolean {
    return this.#failures.has(key);
  }

  /** Returns milliseconds for which events of `key` are to wait. */
  heldFor(key: string, now: number): number {
    return Math.max(0, (this.#failures.get(key)?.heldUntil ?? 0) - now);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}
