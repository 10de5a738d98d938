import type { BudgetedMap } from '../objects/entry-budget.js';

/** The arrival of a commit in a mirror with all of its history. */
interface Arrival {
  /** Generation of the mirror. */
  generation: number;
  /** The number of the fetch of the commit, or of the last fetch before the commit was found in the mirror. */
  fetch: number;
  /** Whether the commit had not arrived earlier as part of the history of another commit. */
  isNew: boolean;
}

/**
 * Records which commits a mirror has with all of their history, and their order of arrival. Records may be dropped at any
 * time.
 */
export class Arrivals {
  #fetches = 0;

  readonly #arrivals: BudgetedMap<Arrival>;
  readonly #generation: () => number;

  constructor(arrivals: BudgetedMap<Arrival>, generation: () => number) {
    this.#arrivals = arrivals;
    this.#generation = generation;
  }

  /** Returns whether a commit is known to be in the mirror. */
  has(sha: string): boolean {
    return this.#of(sha) !== undefined;
  }

  /** Records a commit that was found in the mirror. */
  found(sha: string): void {
    this.#set(sha, false);
  }

  /** Records the commits of one fetch. @param isNew whether a commit was not in the mirror at all before. */
  fetched(shas: readonly string[], isNew: (sha: string) => boolean): void {
    this.#fetches += 1;
    for (const sha of shas) this.#set(sha, isNew(sha));
  }

  /**
   * Returns whether a commit arrived with all of its history before another commit, which is then not part of that
   * history.
   */
  cameBefore(sha: string, other: string): boolean {
    const [first, second] = [this.#of(sha), this.#of(other)];
    return first !== undefined && second?.isNew === true && first.fetch < second.fetch;
  }

  /** Releases its memory. */
  clear(): void {
    this.#arrivals.clear();
  }

  #of(sha: string): Arrival | undefined {
    const arrival = this.#arrivals.get(sha);
    return arrival?.generation === this.#generation() ? arrival : undefined;
  }

  #set(sha: string, isNew: boolean): void {
    this.#arrivals.set(sha, { generation: this.#generation(), fetch: this.#fetches, isNew });
  }
}
