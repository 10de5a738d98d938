import { LRUCache } from 'lru-cache';
import type { Flow } from './flows.js';

/** So many failures in a row open a circuit. */
const failuresToOpen = 3;
const shortestMs = 30_000;
const longestMs = 120_000;
const maxCircuits = 10_000;

interface Circuit {
  failures: number;
  /** No attempt before this time. */
  closedUntil: number;
  /** An attempt is under way that decides. */
  isProbing: boolean;
}

/**
 * Circuit breakers, one for each namespace and host: a tenant whose server does not answer waits for one attempt at a time, and
 * cannot make a server that others use look as if it did not answer.
 */
export class Circuits {
  readonly #circuits = new LRUCache<string, Circuit>({ maxSize: maxCircuits, sizeCalculation: () => 1 });

  /**
   * Returns for how many milliseconds nothing may be attempted; 0: attempt it, and report how it ended.
   *
   * @param now milliseconds of a clock that is never set back
   */
  waitMs(flow: Flow, now: number): number {
    const circuit = this.#get(flow);
    if (circuit === undefined || circuit.failures < failuresToOpen) return 0;
    return circuit.isProbing ? shortestMs : Math.max(0, circuit.closedUntil - now);
  }

  /** Notes an attempt that begins. */
  begin(flow: Flow): void {
    const circuit = this.#get(flow);
    if (circuit !== undefined && circuit.failures >= failuresToOpen) circuit.isProbing = true;
  }

  /** Notes that the server did not answer. */
  fail(flow: Flow, now: number): void {
    if (flow.host === undefined) return;
    const failures = (this.#get(flow)?.failures ?? 0) + 1;
    const waitMs = Math.min(longestMs, shortestMs * 2 ** Math.max(0, failures - failuresToOpen));
    this.#circuits.set(nameOf(flow), { failures, closedUntil: now + waitMs, isProbing: false });
  }

  /** Notes that the server answered, whatever it said. */
  succeed(flow: Flow): void {
    this.#circuits.delete(nameOf(flow));
  }

  #get(flow: Flow): Circuit | undefined {
    return flow.host === undefined ? undefined : this.#circuits.get(nameOf(flow));
  }
}

function nameOf({ tenant, host = '' }: Flow): string {
  return `${tenant} ${host}`;
}
