import type { JobKey } from '@interlock/broker';

/** Maps each delivery to the Secret of the recorded job that it belongs to. A job may have several deliveries. */
export class DeliveryNames {
  readonly #names = new Map<JobKey, string>();
  readonly #keys = new Map<string, Set<JobKey>>();
  /** The jobs that have not been observed since their last delivery. */
  readonly #unobserved = new Set<string>();

  set(key: JobKey, name: string): void {
    this.delete(key);
    this.#names.set(key, name);
    this.#keys.set(name, (this.#keys.get(name) ?? new Set()).add(key));
    this.#unobserved.add(name);
  }

  get(key: JobKey): string | undefined {
    return this.#names.get(key);
  }

  delete(key: JobKey): void {
    const name = this.#names.get(key);
    if (name === undefined) return;
    this.#names.delete(key);
    const keys = this.#keys.get(name);
    keys?.delete(key);
    if (keys?.size !== 0) return;
    this.#keys.delete(name);
    this.#unobserved.delete(name);
  }

  /** Returns the deliveries of a job. */
  keysOf(name: string): JobKey[] {
    return [...(this.#keys.get(name) ?? [])];
  }

  /** Returns the names of the jobs, each once. */
  names(): Set<string> {
    return new Set(this.#keys.keys());
  }

  /** Returns the number of jobs for which `isObserved` has returned only false since their last delivery. */
  unobserved(isObserved: (name: string) => boolean): number {
    for (const name of this.#unobserved) if (isObserved(name)) this.#unobserved.delete(name);
    return this.#unobserved.size;
  }
}

/** The RunnerGroups that this replica leads. */
export interface OtherGroups {
  /** Returns whether another group than `group` has a delivery of a job, whose lock is then still needed. */
  isHeldElsewhere(job: string, group: string): boolean;
}
