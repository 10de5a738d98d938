import { keyString, type ObjectKey } from '@interlock/api';
import type { Clock } from '@interlock/kube';

type Wake = (binding: ObjectKey) => void;

/** Gathers wakes of the same binding: many objects that change at once are one cause. */
export class Wakes {
  readonly #pending = new Set<string>();
  readonly #handlers: Wake[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly delayMs: number,
  ) {}

  subscribe(wake: Wake): void {
    this.#handlers.push(wake);
  }

  /** Wakes a binding after the delay, once. */
  add(binding: ObjectKey): void {
    const key = keyString(binding);
    if (this.#pending.has(key)) return;
    this.#pending.add(key);
    this.clock.setTimeout(() => {
      this.#pending.delete(key);
      for (const wake of this.#handlers) wake(binding);
    }, this.delayMs);
  }
}
