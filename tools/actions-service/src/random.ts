/** Random values that a seed reproduces. None of them is a secret. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns the next number from 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Returns the elements in a random order. */
  shuffle<T>(elements: Iterable<T>): T[] {
    return [...elements]
      .map((element) => ({ element, order: this.next() }))
      .sort((a, b) => a.order - b.order)
      .map(({ element }) => element);
  }

  /** Returns a version 4 GUID. */
  guid(): string {
    const hex = Array.from({ length: 32 }, () => this.below(16).toString(16));
    hex[12] = '4';
    hex[16] = (8 + this.below(4)).toString(16);
    const text = hex.join('');
    return [
      [0, 8],
      [8, 12],
      [12, 16],
      [16, 20],
      [20, 32],
    ]
      .map(([from, to]) => text.slice(from, to))
      .join('-');
  }

  /** Returns a signed 64-bit number. */
  int64(): bigint {
    const word = (): bigint => BigInt(this.below(2 ** 32));
    return BigInt.asIntN(64, (word() << 32n) | word());
  }
}
