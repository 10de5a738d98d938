import type { Clock } from '@interlock/base';

interface Node {
  key: string;
  at: number;
  sequence: number;
  index: number;
}

/** Keys with a time, each once: a heap in which the time of a key can only become earlier, with a single timer. */
export class DelayedKeys {
  readonly #clock: Clock;
  readonly #onDue: (key: string) => void;
  readonly #nodes = new Map<string, Node>();
  readonly #heap: Node[] = [];
  #sequence = 0;
  #timer: { at: number; cancel(): void } | undefined;

  constructor(clock: Clock, onDue: (key: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Schedules `key` for `at` (milliseconds of the monotonic clock), unless it is already scheduled earlier. */
  add(key: string, at: number): void {
    const known = this.#nodes.get(key);
    if (known === undefined) {
      const node = { key, at, sequence: this.#sequence++, index: this.#heap.length };
      this.#nodes.set(key, node);
      this.#heap.push(node);
      this.#up(node);
    } else if (at < known.at) {
      known.at = at;
      this.#up(known);
    }
    this.#arm();
  }

  /** Withdraws `key`, if it is scheduled. */
  remove(key: string): void {
    const node = this.#nodes.get(key);
    if (node === undefined) return;
    this.#take(node);
    if (this.#heap.length > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  clear(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#heap.length = 0;
    this.#nodes.clear();
  }

  #arm(): void {
    const first = this.#heap[0];
    if (first === undefined || (this.#timer !== undefined && this.#timer.at <= first.at)) return;
    this.#timer?.cancel();
    const { cancel } = this.#clock.setTimeout(
      () => this.#fire(),
      Math.max(0, first.at - this.#clock.monotonic()),
    );
    this.#timer = { at: first.at, cancel };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let first = this.#heap[0]; first !== undefined && first.at <= now; first = this.#heap[0]) {
      this.#take(first);
      this.#onDue(first.key);
    }
    this.#arm();
  }

  #take(node: Node): void {
    this.#nodes.delete(node.key);
    const last = this.#heap.pop();
    if (last === undefined || last === node) return;
    this.#place(last, node.index);
    this.#up(last);
    this.#down(last);
  }

  #up(node: Node): void {
    for (;;) {
      const parent = this.#heap[(node.index - 1) >> 1];
      if (node.index === 0 || parent === undefined || !before(node, parent)) return;
      this.#swap(node, parent);
    }
  }

  #down(node: Node): void {
    for (;;) {
      const left = this.#heap[2 * node.index + 1];
      const right = this.#heap[2 * node.index + 2];
      const child = right !== undefined && left !== undefined && before(right, left) ? right : left;
      if (child === undefined || !before(child, node)) return;
      this.#swap(node, child);
    }
  }

  #swap(a: Node, b: Node): void {
    const index = a.index;
    this.#place(a, b.index);
    this.#place(b, index);
  }

  #place(node: Node, index: number): void {
    node.index = index;
    this.#heap[index] = node;
  }
}

function before(a: Node, b: Node): boolean {
  return a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
}
