import type { Logger } from '@interlock/base';

/** How a request for a tunnel ended. */
export type Outcome =
  | 'completed'
  | 'clientReset'
  | 'targetReset'
  | 'idleTimeout'
  | 'lifetimeExceeded'
  | 'cutAtShutdown'
  | 'clientGone'
  | 'denied'
  | 'malformed'
  | 'unreachable'
  | 'overloaded';

/** The record of a request for a tunnel. */
export interface AuditRecord {
  /** Address of the client. */
  client: string;
  /** The requested host; absent if the request could not be parsed. */
  host?: string | undefined;
  port?: number | undefined;
  /** The address to which the proxy connected. */
  address?: string | undefined;
  bytesUp: number;
  bytesDown: number;
  durationMs: number;
  outcome: Outcome;
  /** Reason of the refusal, if the request was refused. */
  reason?: string | undefined;
}

/** Writes one line for each request, at any log level. */
export type Audit = (record: AuditRecord) => void;

/** Returns an audit that writes its lines to a logger. */
export function auditTo(log: Logger): Audit {
  return (record) =>
    log.info({ audit: true, ...record, durationMs: Math.round(record.durationMs) }, 'tunnel');
}
