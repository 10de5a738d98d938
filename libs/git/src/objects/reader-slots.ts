import { FairQueue } from '@interlock/base';

/** A user of a slot, which it holds while its process runs. */
export interface SlotUser {
  /** The owner for fair scheduling. */
  readonly owner: string;
  /** Whether the process of the user is idle. */
  readonly isIdle: boolean;
  close(): void;
}

interface Waiting {
  reader: SlotUser;
  enter: () => void;
  refuse: (reason: unknown) => void;
}

/**
 * Bounds how many processes stay open between requests: the least recently used one is closed for another. While all
 * of them are busy, further readers wait. Owners take turns, and the readers of one owner have at most half of the
 * slots.
 */
export class ReaderSlots {
  readonly #size: number;
  /* In the order of the last request. */
  readonly #open = new Set<SlotUser>();
  readonly #waiting = new FairQueue<Waiting>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Takes a slot for a reader, if necessary the slot of an idle reader. Returns whether the reader has a slot. */
  tryTake(reader: SlotUser): boolean {
    if (this.#open.has(reader)) return true;
    if (!this.#hasRoom(reader.owner)) this.#makeRoom(reader.owner);
    if (!this.#hasRoom(reader.owner)) return false;
    this.#open.add(reader);
    return true;
  }

  /** Resolves when a reader has a slot. Rejects with the reason of {@link closeAll}. */
  take(reader: SlotUser): Promise<void> {
    return new Promise((enter, refuse) => this.#waiting.add(reader.owner, { reader, enter, refuse }));
  }

  /** Records a request to a reader that has a slot. */
  use(reader: SlotUser): void {
    this.#open.delete(reader);
    this.#open.add(reader);
  }

  /** Records that a reader is idle. Often the next request follows at once. */
  rest(reader: SlotUser): void {
    if (!this.#isNeeded(reader)) return;
    setImmediate(() => {
      if (reader.isIdle && this.#isNeeded(reader)) reader.close();
    });
  }

  /** Records that the process of a reader has ended. */
  free(reader: SlotUser): void {
    this.#open.delete(reader);
    for (;;) {
      const next = this.#waiting.take((owner) => this.#hasRoom(owner));
      if (next === undefined) return;
      this.#open.add(next.item.reader);
      next.item.enter();
    }
  }

  /** Ends all processes. @param reason with which waiting readers are rejected. */
  closeAll(reason: unknown): void {
    for (const { refuse } of this.#waiting.clear()) refuse(reason);
    for (const reader of [...this.#open]) reader.close();
  }

  /** Returns whether a waiting reader could use the slot of a reader. */
  #isNeeded({ owner }: SlotUser): boolean {
    return this.#waiting.hasOwner((waiting) => waiting === owner || this.#isBelowLimit(waiting));
  }

  #hasRoom(owner: string): boolean {
    return this.#open.size < this.#size && this.#isBelowLimit(owner);
  }

  #isBelowLimit(owner: string): boolean {
    return this.#openOf(owner) < Math.ceil(this.#size / 2);
  }

  #makeRoom(owner: string): void {
    const isFull = this.#open.size >= this.#size && this.#isBelowLimit(owner);
    for (const other of this.#open) {
      if (other.isIdle && (isFull || other.owner === owner)) return other.close();
    }
  }

  #openOf(owner: string): number {
    let count = 0;
    for (const reader of this.#open) if (reader.owner === owner) count += 1;
    return count;
  }
}
