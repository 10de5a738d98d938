const mebibyte = 1024 * 1024;

/** Bytes above which connections are read in small parts. */
const budgetBytes = 4 * mebibyte;
/** Bytes above which connections are read in the smallest parts. */
const tightBytes = 8 * mebibyte;

/** How freely connections may read. */
type ReadingPace = 'free' | 'small' | 'smallest';

/** The part of the limit by which it may be exceeded until tunnels are reset. */
const excessPart = 1 / 4;

/** Counts the bytes that connections have read and others cannot send yet. They decide how much memory slow readers take. */
export class HeldBytes {
  bytes = 0;
  /** Bytes of connections that are closed, which are about to be released. */
  #leaving = 0;
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

  /** Returns whether more bytes may be held. Resetting other tunnels does not release their bytes at once. */
  hasRoomFor(bytes: number): boolean {
    return this.bytes + bytes <= this.#limit * (1 + excessPart);
  }

  /** Counts more bytes, or, if negative, fewer. */
  add(bytes: number): void {
    this.bytes += bytes;
    /* The caller is not ready to be reset. */
    if (bytes > 0 && this.#excess() > 0) queueMicrotask(() => this.#relieve());
  }

  /** Counts more bytes, or, if negative, fewer, as bytes of connections that are closed: no tunnel is reset for them. */
  addLeaving(bytes: number): void {
    this.#leaving += bytes;
  }

  #relieve(): void {
    const excess = this.#excess();
    if (excess > 0) this.#whenExceeded(excess);
  }

  #excess(): number {
    return this.bytes - this.#leaving - this.#limit;
  }
}

/** The bytes that the connections of this process hold. */
export const heldBytes = new HeldBytes();
