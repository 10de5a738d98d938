import type { Clock } from '@interlock/base';

export type ViolationRule =
  | 'unknown-route'
  | 'wrong-port'
  | 'malformed-request'
  | 'missing-credential'
  | 'unknown-credential'
  | 'wrong-credential'
  | 'invalid-assertion'
  | 'foreign-agent'
  | 'overlapping-polls'
  | 'unknown-session'
  | 'acquire-not-offered'
  | 'acquire-by-other-runner'
  | 'acquire-while-busy'
  | 'run-service-url'
  | 'renew-mismatch'
  | 'renew-after-expiry'
  | 'renew-after-gone'
  | 'complete-mismatch'
  | 'complete-never-run'
  | 'start-without-job'
  | 'run-twice'
  | 'invariant';

/** A violation of the protocol, which a correct client never commits. */
export interface Violation {
  /** Milliseconds since the epoch. */
  at: number;
  rule: ViolationRule;
  detail: string;
  /** `seq` of the request in the journal; undefined if the violation does not concern a single request. */
  request: number | undefined;
}

const mostKept = 1_000;

/** The violations of clients; the first 1,000 in full. */
export class Violations {
  readonly list: Violation[] = [];
  #count = 0;

  constructor(readonly clock: Clock) {}

  get count(): number {
    return this.#count;
  }

  record(rule: ViolationRule, detail: string, request?: number): void {
    this.#count++;
    if (this.list.length < mostKept) this.list.push({ at: this.clock.now(), rule, detail, request });
  }

  /** Forgets all violations, after a test that provokes some. */
  clear(): void {
    this.list.length = 0;
    this.#count = 0;
  }
}
