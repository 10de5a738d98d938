import type { RunnerGroup } from '@interlock/api';
import type { Pod } from '@interlock/kube';
import type { Place } from '../job/observed.js';
import { hasEnded } from '../worker-pod/has-ended.js';

/** The ceiling of a group's worker pods, and the tiers below it. */
type Ceiling = Pick<RunnerGroup['spec'], 'maxWorkers' | 'priorityTiers'>;

/** Returns how many worker pods a group may have at a time; Infinity when only quotas limit them. Pure. */
export function ceilingOf({ maxWorkers, priorityTiers = [] }: Ceiling): number {
  return priorityTiers.at(-1)?.threshold ?? maxWorkers ?? Infinity;
}

/**
 * Returns the place of a worker pod in addition to `active` others: it has the class of the first tier whose threshold the others
 * have not reached. Pure.
 */
export function placeBeside(spec: Ceiling, active: number): Place {
  if (active >= ceilingOf(spec)) return { type: 'full', reason: 'ceiling' };
  const tier = spec.priorityTiers?.find(({ threshold }) => active < threshold);
  return { type: 'free', priorityClassName: tier?.priorityClassName };
}

/**
 * The places of worker pods that are being created and are not in the cache yet, and the jobs that wait for a place. Without the
 * former, two jobs could both take the last free place.
 */
export class Places {
  readonly #reserved = new Map<string, Set<string>>();
  readonly #waiting = new Map<string, Set<string>>();

  /** Returns the number of active pods of a group, including those that are being created. */
  active(group: string, pods: readonly Pod[]): number {
    const names = new Set(this.#reserved.get(group));
    for (const pod of pods) {
      if (hasEnded(pod)) names.delete(pod.metadata.name);
      else names.add(pod.metadata.name);
    }
    return names.size;
  }

  /** Reserves a place for a pod until {@link release}. */
  reserve(group: string, pod: string): void {
    const names = this.#reserved.get(group) ?? new Set();
    this.#reserved.set(group, names.add(pod));
  }

  /** Releases a place, because the pod is in the cache or was not created. */
  release(group: string, pod: string): void {
    const names = this.#reserved.get(group);
    names?.delete(pod);
    if (names?.size === 0) this.#reserved.delete(group);
  }

  /** Records that a job, by the name of its Secret, has found no place in its group. */
  wait(group: string, job: string): void {
    const jobs = this.#waiting.get(group) ?? new Set();
    this.#waiting.set(group, jobs.add(job));
  }

  /** Returns the jobs of a group that have found no place since the last call. */
  takeWaiting(group: string): string[] {
    const jobs = this.#waiting.get(group);
    this.#waiting.delete(group);
    return [...(jobs ?? [])];
  }
}
