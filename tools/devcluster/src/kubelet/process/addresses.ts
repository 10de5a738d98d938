import { randomInt } from 'node:crypto';

/* 127.64.0.0/10 without its first and last address; the addresses below are left to the machine. */
const first = (127 << 24) | (64 << 16) | 1;
const count = (1 << 22) - 2;

/** Assigns a separate loopback address to each pod. Several clusters on a machine begin at different addresses. */
export class PodAddresses {
  readonly #used = new Set<number>();
  #next = randomInt(count);

  take(): string {
    while (this.#used.has(this.#next)) this.#next = (this.#next + 1) % count;
    const number = this.#next;
    this.#used.add(number);
    this.#next = (number + 1) % count;
    const value = first + number;
    return [24, 16, 8, 0].map((shift) => (value >> shift) & 255).join('.');
  }

  giveBack(address: string): void {
    const value = address.split('.').reduce((sum, part) => (sum << 8) | Number(part), 0);
    this.#used.delete(value - first);
  }
}
