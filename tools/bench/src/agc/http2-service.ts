import type { Socket } from 'node:net';
import {
  contentOf,
  dataFrame,
  defaultFrameBytes,
  defaultWindow,
  flags,
  FrameReader,
  frameTypes,
  headerBytes,
  HeaderBlock,
  headersFrames,
  HpackDecoder,
  pingFrame,
  settingIds,
  settingsAckFrame,
  settingsFrame,
  windowUpdateFrame,
} from '@interlock/broker/http2';
import type { AnsweringService, ServiceAnswer } from './answering-service.js';

interface Incoming {
  method: string;
  path: string;
  body: string;
}

/** Polls on one connection: the minimum that RFC 9113 recommends. */
const maxStreams = 100;
const prefaceBytes = 24;
/** The fields of an answer in the format of RFC 7541. */
const status200 = '\x88';
const statusOf = (status: number): string => `\x08\x03${status}`;
const contentType = '\x0f\x10\x1fapplication/json; charset=utf-8';

/**
 * Serves HTTP/2 on a connection of a known client, without the checks and the objects of a Node.js server, which needs more processor
 * time for an answer than the clients.
 */
export function serveHttp2(socket: Socket, service: AnsweringService): void {
  const connection = new Http2ServerConnection(socket, service);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (bytes: Buffer) => connection.read(bytes));
}

class Http2ServerConnection {
  readonly #socket: Socket;
  readonly #service: AnsweringService;
  readonly #decoder = new HpackDecoder();
  readonly #reader = new FrameReader({
    frame: (type, flagBits, id, payload) => this.#frame(type, flagBits, id, payload),
  });
  #preface = prefaceBytes;
  #block: HeaderBlock | undefined;
  readonly #requests = new Map<number, Incoming>();
  /** The number of bytes that the client accepts on all streams. Its windows for a stream are larger than any answer. */
  #window = defaultWindow;
  /** Frames that wait for a larger window. */
  readonly #waiting: Buffer[] = [];
  /** Bytes as a `latin1` string. */
  #output = '';

  constructor(socket: Socket, service: AnsweringService) {
    this.#socket = socket;
    this.#service = service;
    this.#write(settingsFrame([[settingIds.maxConcurrentStreams, maxStreams]]));
  }

  read(bytes: Buffer): void {
    const skipped = Math.min(this.#preface, bytes.length);
    this.#preface -= skipped;
    this.#reader.write(bytes.subarray(skipped));
  }

  #frame(type: number, flagBits: number, id: number, payload: Buffer): void {
    const isAck = (flagBits & flags.ack) !== 0;
    switch (type) {
      case frameTypes.headers:
        this.#block = new HeaderBlock(id, (flagBits & flags.endStream) !== 0);
        this.#headers(this.#block, contentOf(type, flagBits, payload), flagBits);
        return;
      case frameTypes.continuation:
        if (this.#block !== undefined) this.#headers(this.#block, payload, flagBits);
        return;
      case frameTypes.data:
        this.#data(
          id,
          payload.length,
          contentOf(type, flagBits, payload),
          (flagBits & flags.endStream) !== 0,
        );
        return;
      case frameTypes.settings:
        if (!isAck) this.#write(settingsAckFrame());
        return;
      case frameTypes.ping:
        if (!isAck) this.#write(pingFrame(payload, true));
        return;
      case frameTypes.rstStream:
        this.#requests.delete(id);
        return;
      case frameTypes.windowUpdate:
        if (id === 0) this.#send(payload.readUInt32BE(0));
    }
  }

  #headers(block: HeaderBlock, fragment: Buffer, flagBits: number): void {
    block.add(fragment);
    if ((flagBits & flags.endHeaders) === 0) return;
    this.#block = undefined;
    const request: Incoming = { method: '', path: '', body: '' };
    this.#decoder.decode(block.whole(), {
      field: (name, value) => {
        if (name === ':method') request.method = value;
        else if (name === ':path') request.path = value;
      },
    });
    this.#requests.set(block.streamId, request);
    if (block.isEnd) this.#handle(block.streamId, request);
  }

  #data(id: number, received: number, content: Buffer, isEnd: boolean): void {
    if (received > 0) this.#write(windowUpdateFrame(0, received));
    const request = this.#requests.get(id);
    if (request === undefined) return;
    request.body += content.toString('latin1');
    if (isEnd) this.#handle(id, request);
  }

  #handle(id: number, request: Incoming): void {
    this.#service.handle(request, (answer) => this.#respond(id, answer));
  }

  #respond(id: number, { status, body }: ServiceAnswer): void {
    if (!this.#requests.delete(id)) return;
    const head = (status === 200 ? status200 : statusOf(status)) + contentType;
    this.#write(headersFrames(id, head, body === '', defaultFrameBytes));
    if (body === '') return;
    this.#waiting.push(dataFrame(id, Buffer.from(body, 'latin1'), true));
    this.#send(0);
  }

  /** Sends the frames that wait, as far as the window permits. */
  #send(increment: number): void {
    this.#window += increment;
    for (;;) {
      const [frame] = this.#waiting;
      if (frame === undefined || frame.length - headerBytes > this.#window) return;
      this.#waiting.shift();
      this.#window -= frame.length - headerBytes;
      this.#write(frame);
    }
  }

  /** Writes a frame, together with the others of this call of the event loop. */
  #write(frame: Buffer | string): void {
    if (this.#output === '') process.nextTick(() => this.#flush());
    this.#output += typeof frame === 'string' ? frame : frame.toString('latin1');
  }

  #flush(): void {
    if (this.#socket.writable) this.#socket.write(this.#output, 'latin1');
    this.#output = '';
  }
}
