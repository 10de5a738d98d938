import type { Clock, Logger } from '@interlock/base';
import type { Admission } from './admission.js';
import type { Audit } from './audit/audit.js';
import type { ProxyMetrics } from './operations/metrics.js';
import type { Policy } from './policy/policy.js';
import type { Dial } from './relay/engine.js';
import type { Resolve } from './target/resolver.js';
import type { OpenTunnels } from './tunnels.js';

/** Times and sizes of a request, until it has its tunnel. */
interface RequestLimits {
  /** Bytes of the head of a request. */
  headBytes: number;
  /** Milliseconds for the head, and for the handshake of TLS before it. */
  headMs: number;
  /** Milliseconds for the lookup of a name. */
  resolveMs: number;
  /** Milliseconds for the connection to the target, over all its addresses. */
  dialMs: number;
}

/** What every connection of a client works with. */
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
