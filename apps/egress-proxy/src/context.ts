import type { Clock, Logger } from '@interlock/base';
import type { Admission } from './admission.js';
import type { Audit } from './audit/audit.js';
import type { ProxyMetrics } from './operations/metrics.js';
import type { Policy } from './policy/policy.js';
import type { Dial } from './relay/engine.js';
import type { Resolve } from './target/resolver.js';
import type { OpenTunnels } from './tunnels.js';

/** Limits of a request until its tunnel is open. */
interface RequestLimits {
  /** Bytes of the head of a request. */
  headBytes: number;
  /** Milliseconds for the head, and for the TLS handshake before it. */
  headMs: number;
  /** Milliseconds for the lookup of a name. */
  resolveMs: number;
  /** Milliseconds for the connection to the target, over all its addresses. */
  dialMs: number;
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
  readonly audit: Audit;
  readonly metrics: ProxyMetrics;
}
