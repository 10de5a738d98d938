import type { Kind, KubeObject } from '@interlock/api';
import { Problem, type OrProblem } from '@interlock/base';
import { Later, type Availability } from '@interlock/kube';

/** For how long unread objects count as part of the start-up; milliseconds. */
const startUpMs = 60_000;

export interface OptionalKind {
  readonly kind: Kind<KubeObject>;
  readonly availability: Availability;
}

/** Whether the objects of optional kinds are known, or are likely to be soon. */
type Readiness = OrProblem<'known'> | Later;

/**
 * Decides what to do while objects of optional kinds are not known. After a start nothing is reported for a while, so that a
 * restart does not turn success into in_progress; then the gate closes.
 */
export class KindReadiness {
  #since: number | undefined;

  readonly #workloads: readonly OptionalKind[];
  readonly #others: readonly OptionalKind[];

  /**
   * @param workloads kinds of which at least one has to be served.
   * @param others kinds that have to be read if they are served.
   */
  constructor(workloads: readonly OptionalKind[], others: readonly OptionalKind[] = []) {
    this.#workloads = workloads;
    this.#others = others;
  }

  /** @param now milliseconds since the epoch. */
  check(now: number): Readiness {
    const waiting = [...this.#workloads, ...this.#others].find(
      ({ availability }) => availability === 'unknown' || availability === 'reading',
    );
    if (waiting !== undefined) {
      this.#since ??= now;
      const waitMs = this.#since + startUpMs - now;
      if (waitMs > 0) return new Later(waitMs);
      const message = `${nameOf(waiting)} cannot be read; see the log of commit-status-sync for the reason`;
      return new Problem('NotReadable', message);
    }
    this.#since = undefined;
    if (this.#workloads.some(({ availability }) => availability === 'ready')) return 'known';
    const message = `the API server does not serve ${this.#workloads.map(nameOf).join(' or ')}; install the CustomResourceDefinition`;
    return new Problem('NotServed', message);
  }
}

function nameOf({ kind }: OptionalKind): string {
  return `${kind.plural}.${kind.group}`;
}
