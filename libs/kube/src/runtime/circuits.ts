import { LRUCache } from 'lru-cache';
import type { Flow } from './flows.js';

/** Number of consecutive failures that open a circuit. */
const failuresToOpen = 3;
const shortestMs = 30_000;
const longestMs = 120_000;
const maxCircuits = 10_000;

interface Circuit {
  failures: number;
  /** The time before which there is no attempt. */
  closedUntil: number;
  /** Whether the attempt that decides about the circuit is in progress. */
  isProbing: boolean;
}

/**
 * Circuit breakers, one for each namespace and host. If the server of a tenant does not answer, the tenant waits for
 * one attempt at a time, and does not affect other tenants that use the same server.
 */
export class Circuits {
  readonly #circuits = new LRUCache<string, Circuit>({ maxSize: maxCircuits, sizeCalculation: () => 1 });

  /**
   * Returns for how many milliseconds no attempt is allowed; 0 allows an attempt, whose result must be reported.
   *
   * @param now milliseconds of a clock that is never set back
   */
  waitMs(flow: Flow, now: number): number {
    const circuit = this.#get(flow);
    if (circuit === undefined || circuit.failures < failuresToOpen) return 0;
    return circuit.isProbing ? shortestMs : Math.max(0, circuit.closedUntil - now);
  }

  /** Records the start of an attempt. */
  begin(flow: Flow): void {
    const circuit = this.#get(flow);
    if (circuit !== undefined && circuit.failures >= failuresToOpen) circuit.isProbing = true;
  }

  /** Records the end of an attempt. Its result may concern another host, if the object was changed meanwhile. */
  end(flow: Flow): void {
    const circuit = this.#get(flow);
    if (circuit !== undefined) circuit.isProbing = false;
  }

  /** Records that the server did not answer. */
  fail(flow: Flow, now: number): void {
    if (flow.host === undefined) return;
    const failures = (this.#get(flow)?.failures ?? 0) + 1;
    const waitMs = Math.min(longestMs, shortestMs * 2 ** Math.max(0, failures - failuresToOpen));
    this.#circuits.set(nameOf(flow), { failures, closedUntil: now + waitMs, isProbing: false });
  }

  /** Records that the server answered, whatever the answer is. */
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
