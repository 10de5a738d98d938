import type { Clock } from '@interlock/base';
import type { Outcome } from './audit/audit.js';
import type { Tunnel } from './relay/tunnel.js';

interface TunnelLimits {
  /** Milliseconds without a byte in either direction. */
  idleMs: number;
  /** Milliseconds from the opening of the tunnel. */
  lifetimeMs: number;
}

interface Entry {
  readonly openedAt: number;
  bytes: number;
  changedAt: number;
}

const sweepMs = 1_000;

/** The open tunnels. A sweep once a second ends the ones that are idle or too old, which saves a timer for each tunnel. */
export class OpenTunnels {
  readonly #clock: Clock;
  readonly #limits: TunnelLimits;
  readonly #entries = new Map<Tunnel, Entry>();
  /** Why a tunnel is being cut, for its audit line. */
  readonly #reasons = new Map<Tunnel, Outcome>();
  #timer: { cancel(): void } | undefined;
  #whenEmpty: (() => void)[] = [];

  constructor(clock: Clock, limits: TunnelLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Adds a tunnel. */
  add(tunnel: Tunnel): void {
    const now = this.#now();
    this.#entries.set(tunnel, { openedAt: now, bytes: 0, changedAt: now });
    this.#timer ??= this.#clock.setTimeout(() => this.#sweep(), sweepMs);
  }

  /** Removes a tunnel that has ended. Returns why it was cut, if it was. */
  remove(tunnel: Tunnel): Outcome | undefined {
    this.#entries.delete(tunnel);
    if (this.#entries.size === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
      for (const resolve of this.#whenEmpty.splice(0)) resolve();
    }
    return this.#reasons.get(tunnel);
  }

  /** Resets every tunnel. */
  cutAll(): void {
    for (const tunnel of [...this.#entries.keys()]) this.#cut(tunnel, 'cutAtShutdown');
  }

  /** Resolves when no tunnel is open. */
  empty(): Promise<void> {
    return this.#entries.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => void this.#whenEmpty.push(resolve));
  }

  /** Returns the sums over all open tunnels. */
  totals(): { bytesUp: number; bytesDown: number; bufferedBytes: number } {
    const sums = { bytesUp: 0, bytesDown: 0, bufferedBytes: 0 };
    for (const { bytesUp, bytesDown, buffered } of this.#entries.keys()) {
      sums.bytesUp += bytesUp;
      sums.bytesDown += bytesDown;
      sums.bufferedBytes += buffered;
    }
    return sums;
  }

  /** Returns whole milliseconds, which take less memory in the entries than fractions. */
  #now(): number {
    return Math.trunc(this.#clock.monotonic());
  }

  #sweep(): void {
    const now = this.#now();
    for (const [tunnel, entry] of [...this.#entries]) {
      const bytes = tunnel.bytesUp + tunnel.bytesDown;
      if (bytes !== entry.bytes) {
        entry.bytes = bytes;
        entry.changedAt = now;
      }
      if (now - entry.openedAt >= this.#limits.lifetimeMs) this.#cut(tunnel, 'lifetimeExceeded');
      else if (now - entry.changedAt >= this.#limits.idleMs) this.#cut(tunnel, 'idleTimeout');
    }
    this.#timer = this.#entries.size > 0 ? this.#clock.setTimeout(() => this.#sweep(), sweepMs) : undefined;
  }

  #cut(tunnel: Tunnel, reason: Outcome): void {
    this.#reasons.set(tunnel, reason);
    tunnel.cut();
    this.#reasons.delete(tunnel);
  }
}
