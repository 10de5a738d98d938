import type { Flow } from './flows.js';

/** `live`: the object changed. `initial`: the object existed when the cache was filled. */
export type Priority = 'live' | 'initial';

interface Slot {
  key: string;
  priority: Priority;
  flow: Flow;
  taken: boolean;
}

/** Number of live keys that precede each key of the initial list, so that neither starves in a busy cluster. */
const livePerInitial = 9;

/**
 * Keys that wait for a worker, each once. Within a priority the tenants are served in turn, and so are the hosts of a
 * tenant; the keys of one tenant and host are served in the order of arrival.
 */
export class ReadyKeys {
  readonly #slots = new Map<string, Slot>();
  readonly #tenants = { live: new Turns(), initial: new Turns() };
  #liveInARow = 0;

  get size(): number {
    return this.#slots.size;
  }

  /** Adds the key, or raises its priority if it already waits. */
  push(key: string, priority: Priority, flow: Flow): void {
    const known = this.#slots.get(key);
    if (known !== undefined) {
      if (known.priority === priority || priority === 'initial') return;
      known.taken = true;
    }
    const slot = { key, priority, flow, taken: false };
    this.#slots.set(key, slot);
    this.#tenants[priority].push(slot);
  }

  /** Removes and returns the next key of a flow that `mayRun`. */
  shift(mayRun: (flow: Flow) => boolean = () => true): { key: string; flow: Flow } | undefined {
    const initialFirst = this.#liveInARow >= livePerInitial;
    const order: readonly Priority[] = initialFirst ? ['initial', 'live'] : ['live', 'initial'];
    for (const priority of order) {
      const slot = this.#tenants[priority].shift(mayRun);
      if (slot === undefined) continue;
      this.#slots.delete(slot.key);
      this.#liveInARow = priority === 'live' ? this.#liveInARow + 1 : 0;
      return slot;
    }
    return undefined;
  }

  clear(): void {
    this.#slots.clear();
    this.#tenants.live = new Turns();
    this.#tenants.initial = new Turns();
  }
}

/**
 * The slots of a priority: lists by tenant and host. A map keeps the order of the turns; a served entry is moved to
 * the end.
 */
class Turns {
  readonly #tenants = new Map<string, Map<string, Fifo>>();

  push(slot: Slot): void {
    const { tenant, host = '' } = slot.flow;
    const hosts = this.#tenants.get(tenant) ?? new Map<string, Fifo>();
    const fifo = hosts.get(host) ?? new Fifo();
    fifo.push(slot);
    hosts.set(host, fifo);
    this.#tenants.set(tenant, hosts);
  }

  shift(mayRun: (flow: Flow) => boolean): Slot | undefined {
    for (const [tenant, hosts] of this.#tenants) {
      const slot = shiftHost(hosts, mayRun);
      if (slot === undefined && hosts.size > 0) continue;
      this.#tenants.delete(tenant);
      if (hosts.size > 0) this.#tenants.set(tenant, hosts);
      if (slot !== undefined) return slot;
    }
    return undefined;
  }
}

function shiftHost(hosts: Map<string, Fifo>, mayRun: (flow: Flow) => boolean): Slot | undefined {
  for (const [host, fifo] of hosts) {
    const first = fifo.peek();
    if (first !== undefined && !mayRun(first.flow)) continue;
    hosts.delete(host);
    const slot = fifo.shift();
    if (fifo.peek() !== undefined) hosts.set(host, fifo);
    if (slot !== undefined) return slot;
  }
  return undefined;
}

/** A first-in-first-out list with constant cost at both ends; slots that were taken elsewhere are skipped. */
class Fifo {
  #slots: (Slot | undefined)[] = [];
  #head = 0;

  push(slot: Slot): void {
    this.#slots.push(slot);
  }

  peek(): Slot | undefined {
    for (; this.#head < this.#slots.length; this.#advance()) {
      const slot = this.#slots[this.#head];
      if (slot !== undefined && !slot.taken) return slot;
    }
    this.#slots = [];
    this.#head = 0;
    return undefined;
  }

  shift(): Slot | undefined {
    const slot = this.peek();
    if (slot !== undefined) this.#advance();
    return slot;
  }

  #advance(): void {
    this.#slots[this.#head++] = undefined;
    if (this.#head > 1024 && this.#head * 2 > this.#slots.length) {
      this.#slots = this.#slots.slice(this.#head);
      this.#head = 0;
    }
  }
}
