/** `live`: something happened to the object. `initial`: it was there when the cache was filled. */
export type Priority = 'live' | 'initial';

interface Slot {
  key: string;
  priority: Priority;
  taken: boolean;
}

/** So many live keys pass before one of a waiting initial list does, so that a busy cluster starves neither. */
const livePerInitial = 9;

/** Keys that wait for a worker, each once, in the order of arrival within a priority. */
export class ReadyKeys {
  readonly #slots = new Map<string, Slot>();
  readonly #fifos = { live: new Fifo(), initial: new Fifo() };
  #liveInARow = 0;

  get size(): number {
    return this.#slots.size;
  }

  has(key: string): boolean {
    return this.#slots.has(key);
  }

  /** Adds the key, or raises its priority when it waits already. */
  push(key: string, priority: Priority): void {
    const known = this.#slots.get(key);
    if (known !== undefined) {
      if (known.priority === priority || priority === 'initial') return;
      known.taken = true;
    }
    const slot = { key, priority, taken: false };
    this.#slots.set(key, slot);
    this.#fifos[priority].push(slot);
  }

  shift(): string | undefined {
    const initialFirst = this.#liveInARow >= livePerInitial;
    const order: readonly Priority[] = initialFirst ? ['initial', 'live'] : ['live', 'initial'];
    for (const priority of order) {
      const slot = this.#fifos[priority].shift();
      if (slot === undefined) continue;
      this.#slots.delete(slot.key);
      this.#liveInARow = priority === 'live' ? this.#liveInARow + 1 : 0;
      return slot.key;
    }
    return undefined;
  }

  clear(): void {
    this.#slots.clear();
    this.#fifos.live.clear();
    this.#fifos.initial.clear();
  }
}

/** A first-in-first-out list with constant cost at both ends; slots taken elsewhere are passed over. */
class Fifo {
  #slots: (Slot | undefined)[] = [];
  #head = 0;

  push(slot: Slot): void {
    this.#slots.push(slot);
  }

  shift(): Slot | undefined {
    while (this.#head < this.#slots.length) {
      const slot = this.#slots[this.#head];
      this.#slots[this.#head++] = undefined;
      if (this.#head > 1024 && this.#head * 2 > this.#slots.length) {
        this.#slots = this.#slots.slice(this.#head);
        this.#head = 0;
      }
      if (slot !== undefined && !slot.taken) return slot;
    }
    this.clear();
    return undefined;
  }

  clear(): void {
    this.#slots = [];
    this.#head = 0;
  }
}
