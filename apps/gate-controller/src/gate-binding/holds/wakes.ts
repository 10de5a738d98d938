import { keyString, type ObjectKey } from '@interlock/api';
import type { Clock } from '@interlock/kube';

/** Gathers wakes of the same binding: many objects that change at once are one cause. */
export class Wakes {
  readonly #pending = new Set<string>();

  constructor(
    private readonly clock: Clock,
    private readonly delayMs: number,
    private readonly wake: (binding: ObjectKey) => void,
  ) {}

  add(binding: ObjectKey): void {
    const key = keyString(binding);
    if (this.#pending.has(key)) return;
    this.#pending.add(key);
    this.clock.setTimeout(() => {
      this.#pending.delete(key);
      this.wake(binding);
    }, this.delayMs);
  }
}
