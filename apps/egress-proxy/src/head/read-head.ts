import type { Clock } from '@interlock/base';
import { refuse, type Refusal } from '../refusal.js';
import { ignore, ignoreAll, type Connection, type ConnectionHandler } from '../relay/connection.js';
import { HeadBuffer, type CompleteHead } from './head-buffer.js';

interface HeadLimits {
  /** Maximum bytes of the head. */
  headBytes: number;
  /** Milliseconds for the head. */
  headMs: number;
}

/**
 * Reads the head of the only request of a connection, and pauses the connection after it.
 *
 * @returns undefined when the client closed the connection without a request
 */
export function readHead(
  connection: Connection,
  { headBytes, headMs }: HeadLimits,
  clock: Clock,
): Promise<CompleteHead | Refusal | undefined> {
  return new Promise((resolve) => {
    const finish = (result: CompleteHead | Refusal | undefined): void => {
      timer.cancel();
      connection.handler = ignoreAll;
      connection.pause();
      resolve(result);
    };
    const timer = clock.setTimeout(
      () => finish(refuse(408, 'HeadTimeout', 'the request was not complete in time')),
      headMs,
    );
    connection.handler = new HeadReader(headBytes, finish);
    connection.resume();
  });
}

class HeadReader implements ConnectionHandler {
  readonly #buffer: HeadBuffer;
  readonly #maxBytes: number;
  readonly #finish: (result: CompleteHead | Refusal | undefined) => void;
  readonly onDrain = ignore;
  readonly onFinish = ignore;

  constructor(maxBytes: number, finish: (result: CompleteHead | Refusal | undefined) => void) {
    this.#buffer = new HeadBuffer(maxBytes);
    this.#maxBytes = maxBytes;
    this.#finish = finish;
  }

  onData(bytes: Buffer): void {
    const result = this.#buffer.push(bytes);
    if (result === 'incomplete') return;
    if (result === 'too-large') {
      const message = `the request has more than ${this.#maxBytes} bytes before its empty line`;
      this.#finish(refuse(431, 'HeadTooLarge', message));
    } else this.#finish(result);
  }

  onEnd(): void {
    const message = 'the request ends before its empty line';
    this.#finish(this.#buffer.isEmpty ? undefined : refuse(400, 'MalformedRequest', message));
  }

  onClosed(): void {
    this.#finish(undefined);
  }
}
