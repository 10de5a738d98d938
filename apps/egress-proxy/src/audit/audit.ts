import type { Clock } from '@interlock/base';
import type { LineWriter } from './line-writer.js';

/** How a request for a tunnel ended. */
export type Outcome =
  | 'completed'
  | 'clientReset'
  | 'targetReset'
  | 'idleTimeout'
  | 'lifetimeExceeded'
  | 'memoryExceeded'
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

interface AuditOptions {
  writer: LineWriter;
  clock: Clock;
  /** Fields of every line, at least one. */
  fields: Readonly<Record<string, unknown>>;
}

/**
 * Returns an audit that writes lines in the format of {@link jsonLogger}. It joins the parts of a line, because the serialization of an
 * object costs several times as much.
 */
export function auditTo({ writer, clock, fields }: AuditOptions): Audit {
  const timestamps = new Timestamps();
  const common = `${JSON.stringify(fields).slice(1, -1)},"audit":true`;
  return ({ client, host, port, address, outcome, reason, bytesUp, bytesDown, durationMs }) => {
    const target =
      (host === undefined ? '' : `,"host":${quoted(host)}`) +
      (port === undefined ? '' : `,"port":${port}`) +
      (address === undefined ? '' : `,"address":${quoted(address)}`);
    const why = reason === undefined ? '' : `,"reason":${quoted(reason)}`;
    writer.write(
      `{"level":"info","ts":"${timestamps.at(clock.now())}",${common},"client":${quoted(client)}${target},` +
        `"outcome":"${outcome}"${why},"bytesUp":${bytesUp},"bytesDown":${bytesDown},` +
        `"durationMs":${Math.round(durationMs)},"msg":"tunnel"}`,
    );
  };
}

const needsNoEscape = /^[\w.:-]*$/;

function quoted(text: string): string {
  return needsNoEscape.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Formats times as `Date.toISOString` does. It keeps the current second, because most lines belong to the second of the line before. */
class Timestamps {
  #second = Number.NaN;
  #text = '';

  /** @param ms whole milliseconds since the epoch */
  at(ms: number): string {
    const second = Math.floor(ms / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
    }
    return `${this.#text}${String(ms - second * 1000).padStart(3, '0')}Z`;
  }
}
