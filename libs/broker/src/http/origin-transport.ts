import type { Exchange } from './exchange.js';

/** The transport of the calls to one origin. */
export interface OriginTransport {
  start(exchange: Exchange): void;
  readonly isIdle: boolean;
  close(): Promise<void>;
}
