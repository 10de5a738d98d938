const mebibyte = 1024 * 1024;

/** Bytes above which connections are read in small parts. */
const budgetBytes = 4 * mebibyte;
/** Bytes above which connections are read in the smallest parts. */
const tightBytes = 8 * mebibyte;

/** How freely connections may read. */
type ReadingPace = 'free' | 'small' | 'smallest';

/** Counts the bytes that connections have read and others cannot send yet. They decide how much memory slow readers take. */
export class HeldBytes {
  bytes = 0;
  #limit = Infinity;
  #whenExceeded: (excess: number) => void = () => undefined;

  get pace(): ReadingPace {
    if (this.bytes < budgetBytes) return 'free';
    return this.bytes < tightBytes ? 'small' : 'smallest';
  }

  /**
   * Sets how many bytes may be held.
   *
   * @param whenExceeded ends tunnels that hold bytes; called with the number of bytes above the limit
   */
  limit(bytes: number, whenExceeded: (excess: number) => void): void {
    this.#limit = bytes;
    this.#whenExceeded = whenExceeded;
  }

  /** Counts more bytes, or, if negative, fewer. */
  add(bytes: number): void {
    this.bytes += bytes;
    /* The caller is not ready to be reset. */
    if (bytes > 0 && this.bytes > this.#limit) queueMicrotask(() => this.#relieve());
  }

  #relieve(): void {
    if (this.bytes > this.#limit) this.#whenExceeded(this.bytes - this.#limit);
  }
}

/** The bytes that the connections of this process hold. */
export const heldBytes = new HeldBytes();
