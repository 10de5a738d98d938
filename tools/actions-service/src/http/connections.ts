import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { TLSSocket } from 'node:tls';

export type AnyRequest = IncomingMessage | Http2ServerRequest;
export type AnyResponse = ServerResponse | Http2ServerResponse;

/** Numbers connections, so that a journal can distinguish them. */
export class ConnectionNumbers {
  readonly #numbers = new WeakMap<object, number>();
  #last = 0;

  of(request: AnyRequest): number {
    const connection = 'stream' in request ? (request.stream.session ?? request) : request.socket;
    const known = this.#numbers.get(connection);
    if (known !== undefined) return known;
    this.#numbers.set(connection, ++this.#last);
    return this.#last;
  }
}

export function isHttp2(request: AnyRequest): request is Http2ServerRequest {
  return 'stream' in request;
}

/** Ends a request without an answer: the connection of HTTP/1.1, the stream of HTTP/2. */
export function cutRequest(request: AnyRequest): void {
  if (isHttp2(request)) {
    request.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  } else if (request.socket instanceof TLSSocket) {
    request.socket.destroy();
  } else {
    request.socket.resetAndDestroy();
  }
}
