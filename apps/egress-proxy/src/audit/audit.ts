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

/** What is recorded of a request for a tunnel. */
export interface AuditRecord {
  /** Address of the client. */
  client: string;
  /** What the client asked for; absent when its request could not be read. */
  host?: string | undefined;
  port?: number | undefined;
  /** The address that was dialled. */
  address?: string | undefined;
  bytesUp: number;
  bytesDown: number;
  durationMs: number;
  outcome: Outcome;
  /** Of the refusal, when the request was refused. */
  reason?: string | undefined;
}

/** Records one line for each request. They are written whatever the log level is. */
export type Audit = (record: AuditRecord) => void;

/** Returns the audit whose lines go to a logger. */
export function auditTo(log: Logger): Audit {
  return (record) =>
    log.info({ audit: true, ...record, durationMs: Math.round(record.durationMs) }, 'tunnel');
}
