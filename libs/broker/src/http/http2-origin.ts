import {
  connect as connectHttp2,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { Connect, ConnectedSocket } from './connector.js';
import type { Exchange } from './exchange.js';
import type { OriginTransport } from './origin-transport.js';

/** The most streams of one connection, even if the server permits more, to limit the calls that a broken connection interrupts. */
const maxStreams = 250;
const idleMs = 60_000;

interface Connection {
  session: ClientHttp2Session;
  streams: number;
}

/** HTTP/2 to one origin: calls share connections, each with as many streams as the server permits. */
export class Http2Origin implements OriginTransport {
  readonly #url: URL;
  readonly #connect: Connect;
  readonly #connections = new Set<Connection>();
  readonly #waiting: Exchange[] = [];
  #isConnecting = false;
  #isClosed = false;

  constructor(url: URL, connect: Connect, socket: ConnectedSocket) {
    this.#url = url;
    this.#connect = connect;
    this.#adopt(socket);
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && [...this.#connections].every(({ streams }) => streams === 0);
  }

  start(exchange: Exchange): void {
    if (exchange.isSettled) return;
    const connection = this.#withRoom();
    if (connection !== undefined) {
      this.#send(connection, exchange);
      return;
    }
    this.#waiting.push(exchange);
    void this.#grow();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const { session } of this.#connections) session.destroy();
    this.#connections.clear();
    return Promise.resolve();
  }

  #withRoom(): Connection | undefined {
    for (const connection of this.#connections) {
      const { session, streams } = connection;
      const permitted = session.remoteSettings?.maxConcurrentStreams ?? maxStreams;
      if (streams < Math.min(maxStreams, permitted)) return connection;
    }
    return undefined;
  }

  /** Opens one connection at a time, because its number of streams is known only when it is open. */
  async #grow(): Promise<void> {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    try {
      this.#adopt(await this.#connect(this.#url, ['h2']));
    } catch (error) {
      for (const exchange of this.#waiting.splice(0)) exchange.fail(exchange.connectFailure(error));
    } finally {
      this.#isConnecting = false;
    }
    this.#drain();
  }

  #drain(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#withRoom();
      if (connection === undefined) {
        void this.#grow();
        return;
      }
      const exchange = this.#waiting.shift();
      if (exchange !== undefined && !exchange.isSettled) this.#send(connection, exchange);
    }
  }

  #adopt(socket: ConnectedSocket): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    const session = connectHttp2(this.#url.origin, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    const connection = { session, streams: 0 };
    this.#connections.add(connection);
    const retire = (): void => void this.#connections.delete(connection);
    /* The streams report the failure of their session. */
    session.on('error', retire);
    session.on('goaway', retire);
    session.on('close', retire);
    session.setTimeout(idleMs, () => {
      if (connection.streams > 0) return;
      retire();
      session.close();
    });
  }

  #send(connection: Connection, exchange: Exchange): void {
    const { method, url, headers, body } = exchange.call;
    let stream: ClientHttp2Stream;
    try {
      stream = connection.session.request(
        { ...headers, ':method': method, ':path': url.pathname + url.search },
        { endStream: body === undefined },
      );
    } catch {
      this.#connections.delete(connection);
      this.start(exchange);
      return;
    }
    connection.streams += 1;
    exchange.attach(() => {
      /* A connection without an answer may be half open, so no other call uses it. */
      if (!exchange.isAborted) this.#connections.delete(connection);
      stream.close(constants.NGHTTP2_CANCEL);
    });
    listen(stream, exchange);
    stream.on('close', () => {
      exchange.lost(undefined);
      connection.streams -= 1;
      if (this.#waiting.length > 0) this.#drain();
      else if (connection.streams === 0 && !this.#connections.has(connection)) connection.session.close();
    });
    if (body !== undefined) stream.end(body);
  }
}

/** Listens to the events of a stream. Does not use `once`, which would hold an object and two functions for each event. */
function listen(stream: ClientHttp2Stream, exchange: Exchange): void {
  stream.on('response', (headers: IncomingHttpHeaders) => {
    exchange.head(Number(headers[':status']), headers);
  });
  stream.on('data', (chunk: Buffer) => exchange.data(chunk));
  stream.on('end', () => {
    /* A stream that is reset also ends. */
    if (stream.rstCode === constants.NGHTTP2_NO_ERROR) exchange.end();
  });
  stream.on('error', (error) => exchange.lost(error));
}
