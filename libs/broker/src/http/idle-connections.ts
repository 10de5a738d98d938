import { systemClock, type Clock } from '@interlock/base';

interface Idle<C> {
  connection: C;
  /** Until when it may be used, in milliseconds of the monotonic clock. */
  until: number;
}

const sweepMs = 1_000;

/**
 * Connections without a call, each for a limited time. The connection that was used last is reused first. One timer closes them:
 * a timer of each connection would be created and cleared with every poll.
 */
export class IdleConnections<C extends { readonly isOpen: boolean; close(): void }> {
  readonly #clock: Clock;
  readonly #idle: Idle<C>[] = [];
  #sweeping: { cancel(): void } | undefined;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#idle.length;
  }

  /** Keeps a connection. @param ms how long it may be used; it is closed within a second after that */
  add(connection: C, ms: number): void {
    this.#idle.push({ connection, until: this.#clock.monotonic() + ms });
    this.#sweeping ??= this.#clock.setTimeout(() => this.#sweep(), sweepMs);
  }

  /** Removes and returns a connection that is open; undefined if there is none. */
  take(): C | undefined {
    const now = this.#clock.monotonic();
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      const { connection, until } = last;
      if (connection.isOpen && until > now) return connection;
      connection.close();
    }
    return undefined;
  }

  remove(connection: C): void {
    const at = this.#idle.findIndex((idle) => idle.connection === connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  /** Forgets all connections. */
  clear(): void {
    this.#idle.length = 0;
    this.#sweeping?.cancel();
    this.#sweeping = undefined;
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    /* A closed connection is removed later, when its socket reports the end. */
    for (const { connection, until } of this.#idle) if (until <= now) connection.close();
    this.#sweeping =
      this.#idle.length === 0 ? undefined : this.#clock.setTimeout(() => this.#sweep(), sweepMs);
  }
}
