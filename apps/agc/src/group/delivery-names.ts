import type { JobKey } from '@interlock/broker';

/** Which job on record a delivery belongs to, by the name of its Secret. A job has a delivery, and may have siblings. */
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

  /** The names of the jobs, each once. */
  names(): Set<string> {
    return new Set(this.#names.values());
  }
}
