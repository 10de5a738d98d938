import { TypedError } from '@interlock/api';
import type { ConnectedSocket, OpenConnection } from './connector.js';
import type { Exchange, HttpCall } from './exchange.js';
import { ResponseParser } from './response-parser.js';

/** The size of a record: less than 1 KiB with the overhead of TLS and the end of the handshake, which may wait in the buffer. */
const maxRecordBytes = 800;
/** Matches a character that no line may contain; CR and LF must form a pair at the end of a line. The lines are counted as well. */
const unsendable = /[^\t\x20-\x7e\r\n]|\r(?!\n)|(?<!\r)\n/;

/** One HTTP/1.1 connection, with at most one call in progress. */
export class Http1Connection {
  readonly #onFree: (connection: Http1Connection, reusableMs: number) => void;
  readonly #socket: ConnectedSocket;
  #exchange: Exchange | undefined;
  /** Present from the first byte of an answer to its last. */
  #parser: ResponseParser | undefined;
  #isReused = false;

  /** @param onFree called when a call has ended, with the milliseconds that the connection may wait for another one; 0: it is closed */
  constructor(
    { socket, received }: OpenConnection,
    onFree: (connection: Http1Connection, reusableMs: number) => void,
  ) {
    this.#socket = socket;
    this.#onFree = onFree;
    received.readBy((bytes) => this.#read(bytes));
    socket.on('end', () => this.#end());
    socket.on('error', (error) => this.#lose(error));
    socket.on('close', () => this.#lose(undefined));
  }

  get isOpen(): boolean {
    const { destroyed, writable, readableEnded } = this.#socket;
    return !destroyed && writable && !readableEnded;
  }

  /** Sends a call. @throws TypedError `Invalid` for a header that cannot be sent */
  send(exchange: Exchange): void {
    const request = requestOf(exchange.call);
    this.#exchange = exchange;
    exchange.attach(this);
    if (!exchange.isSettled) this.#write(request);
  }

  /**
   * Sends a request in pieces if the connection is encrypted: Node.js keeps a buffer of 16 KiB for each connection on which it
   * has ever encrypted more than 1 KiB at once.
   */
  #write(bytes: string): void {
    const socket = this.#socket;
    if (!('encrypted' in socket)) {
      socket.write(bytes, 'latin1');
      return;
    }
    for (let at = 0; at < bytes.length; at += maxRecordBytes) {
      socket.write(bytes.slice(at, at + maxRecordBytes), 'latin1');
    }
  }

  /** Ends the call, and with it the connection. */
  cancel(): void {
    this.close();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Reads bytes from the connection, and keeps none of them. */
  #read(bytes: Buffer): void {
    const exchange = this.#exchange;
    /* The bytes do not answer a call, so the connection is unusable. */
    if (exchange === undefined) {
      this.close();
      return;
    }
    this.#parser ??= new ResponseParser(exchange);
    try {
      this.#parser.write(bytes);
    } catch (error) {
      exchange.lost(error);
      this.close();
      return;
    }
    if (this.#parser.isDone) this.#finish(this.#parser, exchange);
  }

  #end(): void {
    const [exchange, parser] = [this.#exchange, this.#parser];
    try {
      parser?.end();
      if (parser !== undefined && exchange !== undefined) this.#finish(parser, exchange);
    } catch (error) {
      exchange?.lost(error);
    }
    this.close();
  }

  #finish(parser: ResponseParser, exchange: Exchange): void {
    const reusableMs = this.isOpen ? parser.reusableMs : 0;
    this.#isReused = true;
    this.#exchange = undefined;
    this.#parser = undefined;
    if (reusableMs === 0) this.close();
    this.#onFree(this, reusableMs);
    exchange.end();
  }

  #lose(error: Error | undefined): void {
    const [exchange, parser] = [this.#exchange, this.#parser];
    this.#exchange = undefined;
    this.#parser = undefined;
    this.#onFree(this, 0);
    if (this.#isReused && parser === undefined) exchange?.stale(error);
    else exchange?.lost(error);
  }
}

/**
 * Returns the bytes of a request, one character each. Its head is checked as a whole: reading each value would copy it, and keep
 * a token in memory. The head is complete when it is checked, because V8 copies the parts of a text when it is first read.
 */
function requestOf({ method, url, token, headers, body }: HttpCall): string {
  const names = Object.keys(headers);
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`;
  if (token !== undefined) head += `authorization: Bearer ${token}\r\n`;
  for (const name of names) head += `${name}: ${headers[name]}\r\n`;
  const hasLength = body !== undefined || method === 'POST';
  head += hasLength ? `content-length: ${Buffer.byteLength(body ?? '')}\r\n\r\n` : '\r\n';
  if (
    unsendable.test(head) ||
    countLines(head) !== names.length + (token === undefined ? 3 : 4) + (hasLength ? 1 : 0)
  ) {
    throw new TypedError('Invalid', 'a header of a call contains characters that cannot be sent');
  }
  return body === undefined ? head : head + Buffer.from(body).toString('latin1');
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) count += 1;
  return count;
}
