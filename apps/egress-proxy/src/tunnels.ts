import { LinkedList, ListElement, type Clock } from '@interlock/base';
import type { Outcome } from './audit/audit.js';
import type { Tunnel } from './relay/tunnel.js';

interface TunnelLimits {
  /** Milliseconds without a byte in either direction. */
  idleMs: number;
  /** Milliseconds from the opening of the tunnel. */
  lifetimeMs: number;
}

/** An open tunnel. */
export class OpenTunnel extends ListElement<OpenTunnel> {
  readonly tunnel: Tunnel;
  readonly openedAt: number;
  bytes = 0;
  changedAt: number;
  /** Why the tunnel is being cut, for its audit line. */
  cutFor: Outcome | undefined;

  /** @param now whole milliseconds, which take less memory than fractions */
  constructor(tunnel: Tunnel, now: number) {
    super();
    this.tunnel = tunnel;
    this.openedAt = now;
    this.changedAt = now;
  }
}

const sweepMs = 1_000;

/** The open tunnels. A sweep once a second ends the tunnels that are idle or too old, which saves a timer for each tunnel. */
export class OpenTunnels {
  readonly #clock: Clock;
  readonly #limits: TunnelLimits;
  readonly #open = new LinkedList<OpenTunnel>();
  #timer: { cancel(): void } | undefined;
  #whenEmpty: (() => void)[] = [];

  constructor(clock: Clock, limits: TunnelLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Adds a tunnel. Returns what {@link remove} takes. */
  add(tunnel: Tunnel): OpenTunnel {
    const open = new OpenTunnel(tunnel, this.#now());
    this.#open.add(open);
    this.#timer ??= this.#clock.setTimeout(() => this.#sweep(), sweepMs);
    return open;
  }

  /** Removes a tunnel that has ended. */
  remove(open: OpenTunnel): void {
    this.#open.remove(open);
    if (this.#open.size === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
      for (const resolve of this.#whenEmpty.splice(0)) resolve();
    }
  }

  /** Resets every tunnel. */
  cutAll(): void {
    for (const open of this.#open.all()) cut(open, 'cutAtShutdown');
  }

  /** Resets the tunnels that hold the most bytes for a slow reader, until a number of bytes is released. */
  cutHolders(bytes: number): void {
    const holders = [...this.#open.all()]
      .map((open) => ({ open, held: open.tunnel.held }))
      .sort((one, other) => other.held - one.held);
    let left = bytes;
    for (const { open, held } of holders) {
      if (left <= 0 || held === 0) break;
      left -= held;
      cut(open, 'memoryExceeded');
    }
  }

  /** Resolves when no tunnel is open. */
  empty(): Promise<void> {
    return this.#open.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => void this.#whenEmpty.push(resolve));
  }

  /** Returns the sums over all open tunnels. */
  totals(): { bytesUp: number; bytesDown: number; bufferedBytes: number } {
    const sums = { bytesUp: 0, bytesDown: 0, bufferedBytes: 0 };
    for (const { tunnel } of this.#open.all()) {
      sums.bytesUp += tunnel.bytesUp;
      sums.bytesDown += tunnel.bytesDown;
      sums.bufferedBytes += tunnel.buffered;
    }
    return sums;
  }

  /** Returns whole milliseconds. */
  #now(): number {
    return Math.trunc(this.#clock.monotonic());
  }

  #sweep(): void {
    const now = this.#now();
    for (const open of this.#open.all()) {
      const bytes = open.tunnel.bytesUp + open.tunnel.bytesDown;
      if (bytes !== open.bytes) {
        open.bytes = bytes;
        open.changedAt = now;
      }
      if (now - open.openedAt >= this.#limits.lifetimeMs) cut(open, 'lifetimeExceeded');
      else if (now - open.changedAt >= this.#limits.idleMs) cut(open, 'idleTimeout');
    }
    this.#timer = this.#open.size > 0 ? this.#clock.setTimeout(() => this.#sweep(), sweepMs) : undefined;
  }
}

function cut(open: OpenTunnel, reason: Outcome): void {
  open.cutFor = reason;
  open.tunnel.cut();
}
