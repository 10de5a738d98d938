import type { JobKey } from '@interlock/broker';

/** Maps each delivery to the Secret of the recorded job that it belongs to. A job may have several deliveries. */
export class DeliveryNames {
  readonly #names = new Map<JobKey, string>();

  set(key: JobKey, name: string): void {
    this.#names.set(key, name);
  }

  get(key: JobKey): string | undefined {
    return this.#names.get(key);
  }

  delete(key: JobKey): void {
    this.#names.delete(key);
  }

  /** Returns the deliveries of a job. */
  keysOf(name: string): JobKey[] {
    return [...this.#names].flatMap(([key, one]) => (one === name ? [key] : []));
  }

  /** Returns the names of the jobs, each once. */
  names(): Set<string> {
    return new Set(this.#names.values());
  }
}

/** The RunnerGroups that this replica leads. */
export interface OtherGroups {
  /** Returns whether another group than `group` has a delivery of a job, whose lock is then still needed. */
  isHeldElsewhere(job: string, group: string): boolean;
}
