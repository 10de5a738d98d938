import { Gate, type ObjectKey, type ResponseRoute } from '@interlock/api';
import { aborted, type Clock, type Logger } from '@interlock/base';
import { believedState } from '@interlock/gating';
import { createOptionalCache, type Manager, type OptionalCache, type Runnable } from '@interlock/kube';
import type { ProposalFacts } from '@interlock/responding';
import type { ConfigStore } from './config/store.js';
import type { ObservedGate } from './event-response/observed.js';
import { reduceGate } from './reduce.js';

/** How long the responses of a process wait at most, from the first one, until the gates are known; in milliseconds. */
const readingMs = 10_000;

/**
 * The gates that routes wait for. They are watched only when a route names one: the permission to read them is
 * optional.
 */
export class Gates implements Runnable {
  readonly name = 'gates of routes';
  readonly needsLeaderElection = false;
  readonly #gates: OptionalCache<Gate>;
  readonly #needed = new AbortController();
  /** Monotonic time until which the gates are being read. */
  #readingUntil: number | undefined;

  readonly #clock: Clock;
  readonly #store: ConfigStore;
  readonly #namespace: string;

  constructor(manager: Manager, log: Logger, random: () => number, store: ConfigStore, namespace: string) {
    this.#store = store;
    this.#namespace = namespace;

    const { client, clock, cacheMetrics: metrics } = manager;
    this.#clock = clock;
    this.#gates = createOptionalCache(
      client,
      Gate,
      { transform: reduceGate },
      { clock, log, random, metrics },
    );
  }

  /**
   * Registers a handler for changes of gates that a route names: other teams may have many gates. Call it before the manager
   * runs.
   */
  onChange(handler: () => void): void {
    this.#gates.subscribe(({ object }) => {
      if (this.#isNamed(object)) handler();
    });
    this.#store.onChange(() => this.#checkRoutes());
  }

  /** Registers a handler that is called when it changes whether the gates are known. Call it before the manager runs. */
  onKnown(handler: () => void): void {
    this.#gates.onAvailability(handler);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#checkRoutes();
    await aborted(AbortSignal.any([signal, this.#needed.signal]));
    if (!signal.aborted) await this.#gates.run(signal);
  }

  /**
   * Returns how many milliseconds to wait until the gate of a route is known; 0 if it is known, or if the route does not name
   * one. Gates that are not known some seconds after they were first needed may never become known.
   */
  readingMsOf({ gateRef }: ResponseRoute): number {
    const { availability } = this.#gates;
    if (gateRef === undefined || availability === 'ready' || availability === 'absent') return 0;
    this.#readingUntil ??= this.#clock.monotonic() + readingMs;
    return Math.max(0, this.#readingUntil - this.#clock.monotonic());
  }

  /** Returns the gate of a route; undefined if it does not name one, or if the gate does not exist. */
  of(
    { gateRef }: ResponseRoute,
    now: number,
  ): (ObservedGate & ObjectKey & { namespace: string }) | undefined {
    const key = this.#keyOf({ gateRef });
    const gate = key && this.#gates.get(key);
    if (key === undefined || gate === undefined) return undefined;
    const { state, message } = believedState(gate, now);
    return { ...key, open: state === 'Open', reason: message };
  }

  /** Returns the gate of a route for the texts of a proposal: one that does not exist counts as closed. */
  viewOf(route: ResponseRoute, now: number): ProposalFacts['gate'] {
    const key = this.#keyOf(route);
    return this.of(route, now) ?? (key && { ...key, open: false, reason: 'the gate was not found' });
  }

  /** Returns the name of the gate of a route; undefined if the route does not name one. */
  #keyOf({ gateRef }: Pick<ResponseRoute, 'gateRef'>): { name: string; namespace: string } | undefined {
    return gateRef && { name: gateRef.name, namespace: gateRef.namespace ?? this.#namespace };
  }

  #isNamed({ metadata: { name, namespace } }: Gate): boolean {
    const keys = this.#store.routes.map((route) => this.#keyOf(route));
    return keys.some((key) => key?.name === name && key.namespace === namespace);
  }

  #checkRoutes(): void {
    if (this.#store.routes.some(({ gateRef }) => gateRef !== undefined)) this.#needed.abort();
  }
}
