import type { Deadlines } from '@interlock/base';
import { refuse, type Refusal } from '../refusal.js';
import { ignore, ignoreAll, type Connection, type ConnectionHandler } from '../relay/connection.js';
import { HeadBuffer, type CompleteHead } from './head-buffer.js';
import { WaitingClient } from './waiting-client.js';

interface HeadLimits {
  /** Maximum bytes of the head. */
  headBytes: number;
  /** Time for the head. */
  head: Deadlines;
}

interface RequestHead {
  readonly head: string;
  /** Handles the connection from the end of the head on. */
  readonly client: WaitingClient;
}

type HeadResult = RequestHead | Refusal | undefined;

/**
 * Reads the head of the only request of a connection.
 *
 * @param first bytes that were already read, valid until the call returns; undefined if the connection is not being read yet
 * @returns undefined when the client closed the connection without a request
 */
export function readHead(
  connection: Connection,
  { headBytes, head }: HeadLimits,
  first?: Buffer,
): Promise<HeadResult> {
  return new Promise((resolve) => {
    const deadline = head.start(() =>
      finish(refuse(408, 'HeadTimeout', 'the request was not complete in time; send all of it at once')),
    );
    const finish = (result: CompleteHead | Refusal | undefined): void => {
      deadline.cancel();
      if (result !== undefined && 'head' in result) {
        /* Further bytes may be reported before the promise is resolved. */
        resolve({ head: result.head, client: new WaitingClient(connection, result.early) });
        return;
      }
      connection.handler = ignoreAll;
      resolve(result);
    };
    const reader = new HeadReader(headBytes, finish);
    connection.handler = reader;
    if (first === undefined) connection.resume();
    else reader.onData(first);
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
      const message = `the request has more than ${this.#maxBytes} bytes before its empty line; send fewer headers`;
      this.#finish(refuse(431, 'HeadTooLarge', message));
    } else this.#finish(result);
  }

  onEnd(): void {
    const message = 'the request ends before its empty line; correct the client';
    this.#finish(this.#buffer.isEmpty ? undefined : refuse(400, 'MalformedRequest', message));
  }

  onClosed(): void {
    this.#finish(undefined);
  }
}
