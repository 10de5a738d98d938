import type { IncomingHttpHeaders } from 'node:http';
import type { RequestEntry } from '../record/request-journal.js';
import type { Identity } from './identity.js';

/** An answer of the service. */
export interface Reply {
  status: number;
  headers?: Record<string, string> | undefined;
  /** Text; JSON unless the headers name another type. */
  body?: string | undefined;
}

/** A request whose route is known and whose body was read. */
export interface Call {
  entry: RequestEntry;
  identity: Identity;
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Aborted when the client ends the request or the service closes. */
  signal: AbortSignal;
  /** Calls back once when the answer did not reach the client. */
  onLost(callback: () => void): void;
}
