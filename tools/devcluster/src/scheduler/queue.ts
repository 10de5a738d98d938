import type { KubeObject } from '../object.js';
import { hasPodRules } from './pod-affinity.js';
import type { PodInfo } from './snapshot.js';

const firstBackoffMs = 1_000;
const lastBackoffMs = 10_000;

interface Attempt {
  failures: number;
  /** Monotonic time until which other pods are tried first. */
  until: number;
  /** Whether nothing that could make the pod fit has changed since the last attempt. */
  parked: boolean;
  /** Whether the pod has rules about other pods. */
  affine: boolean;
}

/**
 * The order in which pods are tried, and which of them are not worth another attempt yet. A pod that did not fit is
 * parked until something changes that may help; one that failed a moment ago comes after all others (backoff, from one
 * to ten seconds), and without waiting when there are no others, as Kubernetes does with SchedulerPopFromBackoffQ.
 */
export class SchedulingQueue {
  readonly #attempts = new Map<string, Attempt>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Returns the pods to try now: by priority, then by age; pods in backoff come last. */
  next(pods: readonly PodInfo[]): PodInfo[] {
    const now = this.#monotonic();
    const waits = ({ uid }: PodInfo): number => {
      const until = this.#attempts.get(uid)?.until ?? 0;
      return until > now ? until : 0;
    };
    return pods
      .filter(({ uid }) => this.#attempts.get(uid)?.parked !== true)
      .sort((a, b) => waits(a) - waits(b) || b.priority - a.priority || byAge(a, b));
  }

  /** Parks a pod that did not fit. */
  park(pod: PodInfo): void {
    const { uid } = pod;
    const failures = (this.#attempts.get(uid)?.failures ?? 0) + 1;
    const backoffMs = Math.min(lastBackoffMs, firstBackoffMs * 2 ** (failures - 1));
    const until = this.#monotonic() + backoffMs;
    this.#attempts.set(uid, { failures, until, parked: true, affine: hasPodRules(pod) });
  }

  /** Retries a pod that changed itself. */
  unpark(uid: string): void {
    const attempt = this.#attempts.get(uid);
    if (attempt !== undefined) attempt.parked = false;
  }

  /** Retries pods: all, or those with rules about other pods. */
  unparkMany(which: 'all' | 'affine'): void {
    for (const attempt of this.#attempts.values()) {
      if (which === 'all' || attempt.affine) attempt.parked = false;
    }
  }

  /** Forgets a pod that has a node or is gone. */
  forget(uid: string): void {
    this.#attempts.delete(uid);
  }
}

function byAge({ pod: a }: PodInfo, { pod: b }: PodInfo): number {
  const [created, other] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (created !== other) return created < other ? -1 : 1;
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

function nameOf({ metadata }: KubeObject): string {
  return `${metadata.name}/${metadata.namespace ?? ''}`;
}
