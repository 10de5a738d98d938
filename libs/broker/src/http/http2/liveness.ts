import type { Clock } from '@interlock/base';

/**
 * A connection without answers for this time is checked with a PING. The time is shorter than the 60 s after which load
 * balancers often close a silent connection, and than the 50 s for which GitHub holds polls, so that a broken
 * connection is found before all of its polls time out.
 */
export const pingAfterMs = 30_000;
/** Longer than the retransmissions of a packet that is lost twice. */
export const pingTimeoutMs = 10_000;
/** A connection without calls is closed after this time. */
export const idleMs = 60_000;
/** A timer that fires later than this means that the process was stopped, and has not read what arrived meanwhile. */
const lateMs = 1_000;

interface WatchedConnection {
  /** The number of calls. */
  readonly streams: number;
  ping(): void;
  /** Called when a PING was not answered. */
  die(): void;
  /** Called when there was no call for a while. */
  expire(): void;
}

/** Watches a connection with one timer: whether it is alive while calls wait, and whether it is needed. */
export class Liveness {
  readonly #connection: WatchedConnection;
  readonly #clock: Clock;
  #heardAt: number;
  #pingedAt: number | undefined;
  #usedAt: number;
  #dueAt = 0;
  #timer: { cancel(): void } | undefined;

  constructor(connection: WatchedConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#heardAt = this.#usedAt = clock.monotonic();
    this.#arm(pingAfterMs);
  }

  /** Records that bytes have arrived. */
  heard(): void {
    this.#heardAt = this.#clock.monotonic();
    this.#pingedAt = undefined;
  }

  /** Records that a call has started or ended. */
  used(): void {
    this.#usedAt = this.#clock.monotonic();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(ms: number): void {
    this.#dueAt = this.#clock.monotonic() + ms;
    this.#timer = this.#clock.setTimeout(() => this.#check(), ms);
  }

  #check(): void {
    const now = this.#clock.monotonic();
    const isLate = now - this.#dueAt > lateMs;
    if (this.#connection.streams === 0) {
      const unusedMs = now - this.#usedAt;
      if (unusedMs >= idleMs) this.#connection.expire();
      else this.#arm(Math.min(pingAfterMs, idleMs - unusedMs));
      return;
    }
    if (this.#pingedAt !== undefined) {
      if (isLate) this.#arm(pingTimeoutMs);
      else this.#connection.die();
      return;
    }
    const silentMs = now - this.#heardAt;
    if (silentMs < pingAfterMs) {
      this.#arm(pingAfterMs - silentMs);
      return;
    }
    this.#pingedAt = now;
    this.#connection.ping();
    this.#arm(pingTimeoutMs);
  }
}
