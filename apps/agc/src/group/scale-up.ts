import type { RunnerGroup } from '@interlock/api';

type ScaleUpLimit = RunnerGroup['spec']['scaleUp'];

/**
 * Limits how fast a group's worker pods are created: `burst` at once, then `maxPerSecond` (the generic cell rate algorithm). Times
 * in milliseconds of the monotonic clock.
 */
export class ScaleUp {
  /** When the bucket of a group is full again. */
  readonly #fullAt = new Map<string, number>();

  /** Returns the milliseconds until a group may create its next pod; 0 when it may now. */
  waitMs(group: string, limit: ScaleUpLimit, now: number): number {
    if (limit === undefined) return 0;
    const { maxPerSecond, burst = maxPerSecond } = limit;
    const fullAt = this.#fullAt.get(group) ?? 0;
    return Math.max(0, Math.ceil(fullAt - ((burst - 1) * 1000) / maxPerSecond - now));
  }

  /** Records the creation of a pod. */
  spend(group: string, limit: ScaleUpLimit, now: number): void {
    if (limit === undefined) return;
    this.#fullAt.set(group, Math.max(now, this.#fullAt.get(group) ?? 0) + 1000 / limit.maxPerSecond);
  }

  forget(group: string): void {
    this.#fullAt.delete(group);
  }
}
