import type { Exchange } from './exchange.js';

/** What carries the calls to one origin. */
export interface OriginTransport {
  start(exchange: Exchange): void;
  readonly isIdle: boolean;
  close(): Promise<void>;
}
