import type { Clock, Deadlines, LinkedList, Logger } from '@interlock/base';
import type { Admission } from './admission.js';
import type { Audit } from './audit/audit.js';
import type { ProxyMetrics } from './operations/metrics.js';
import type { Policy } from './policy/policy.js';
import type { Dial } from './relay/engine.js';
import type { Resolve } from './target/resolver.js';
import type { OpenTunnels } from './tunnels.js';
import type { WaitingRequest } from './waiting-request.js';

/** Limits of a request until its tunnel is open. */
interface RequestLimits {
  /** Bytes of the head of a request. */
  headBytes: number;
  /** Milliseconds for the TLS handshake. */
  handshakeMs: number;
  /** Time for the head. */
  head: Deadlines;
  /** Time for the lookup of a name. */
  resolve: Deadlines;
  /** Time for the connection to the target, over all its addresses. */
  dial: Deadlines;
  /** Time that a client has to receive the response to a refused request. */
  closing: Deadlines;
}

/** Dependencies that all connections of clients share. */
export interface ProxyContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly policy: Policy;
  readonly resolve: Resolve;
  readonly dial: Dial;
  readonly limits: RequestLimits;
  readonly admission: Admission;
  readonly tunnels: OpenTunnels;
  /** The requests whose targets are not connected yet. */
  readonly waiting: LinkedList<WaitingRequest>;
  readonly audit: Audit;
  readonly metrics: ProxyMetrics;
}
