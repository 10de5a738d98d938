import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@interlock/base/testing';
import type { OpenConnection } from '../http/connector.js';
import type { HttpAnswer, HttpCall } from '../http/exchange.js';
import { flags, frameOf, frameTypes, headerBytes, settingsFrame } from '../http/http2/frames.js';
import { Http2Connection } from '../http/http2/http2-connection.js';
import { ReceivedBytes } from '../http/received-bytes.js';
import { exchange } from './http.js';

interface SentFrame {
  type: number;
  flagBits: number;
  id: number;
  payload: Buffer;
}

const prefaceBytes = 24;

/** An HTTP/2 connection without a network: a test reads what the client sends, and writes what the server sends. */
export class Http2Pipe {
  readonly clock = new FakeClock();
  readonly connection: Http2Connection;
  readonly socket = new PipeSocket();
  isClosed = false;

  constructor(firstStreamId?: number) {
    this.connection = new Http2Connection({
      open: this.socket.open(),
      owner: { changed: () => undefined, closed: () => (this.isClosed = true) },
      clock: this.clock,
      firstStreamId,
    });
  }

  /** Sends a call. Resolves with its answer, or with the error. */
  call(call: Partial<HttpCall> = {}): Promise<HttpAnswer | Error> {
    const url = new URL('https://broker.example/message?x=1');
    const whole = { method: 'GET' as const, url, headers: {}, maxBytes: 1_000, timeoutMs: 60_000, ...call };
    return exchange(whole, (started) => {
      try {
        this.connection.send(started);
      } catch (error) {
        started.fail(error as Error);
      }
    });
  }

  /** Passes on bytes of the server, and waits until they and the answers to them have been written. */
  async receive(...frames: readonly Buffer[]): Promise<void> {
    this.socket.push(Buffer.concat(frames));
    await settled();
  }

  /** Returns the frames that the client has sent so far, without the preface. */
  async sent(): Promise<SentFrame[]> {
    await settled();
    return parseFrames(Buffer.concat(this.socket.written).subarray(prefaceBytes));
  }

  /** Returns the frames of a type that the client has sent so far. */
  async sentOf(type: number): Promise<SentFrame[]> {
    return (await this.sent()).filter((frame) => frame.type === type);
  }

  /** Returns the error code with which the client has closed the connection. */
  async goawayCode(): Promise<number | undefined> {
    return (await this.sentOf(frameTypes.goaway)).at(-1)?.payload.readUInt32BE(4);
  }
}

/** The pipes of a test, which are closed after it. */
export class Http2Pipes {
  readonly #open: Http2Pipe[] = [];

  /** Creates a pipe whose server has sent nothing. */
  create(firstStreamId?: number): Http2Pipe {
    const pipe = new Http2Pipe(firstStreamId);
    this.#open.push(pipe);
    return pipe;
  }

  /** Creates a pipe whose server has sent its settings. */
  async open(firstStreamId?: number): Promise<Http2Pipe> {
    const pipe = this.create(firstStreamId);
    await pipe.receive(settingsFrame([]));
    return pipe;
  }

  /** Ends the calls under way, which have timers. */
  close(): void {
    for (const { connection } of this.#open.splice(0)) connection.close();
  }
}

/** Returns a HEADERS frame that is complete. @param block the fields, as bytes */
export function headersOf(id: number, block: Uint8Array, isEnd = false): Buffer {
  return frameOf(frameTypes.headers, flags.endHeaders | (isEnd ? flags.endStream : 0), id, block);
}

/** Header blocks and their parts, as bytes. */
export const status200 = Buffer.from([0x88]);
export const status304 = Buffer.from([0x8b]);

/** Returns the field `:status`, for example of an interim head. */
export function statusField(status: number): Buffer {
  return Buffer.concat([Buffer.from([0x08, 3]), Buffer.from(String(status))]);
}

/** Returns a field that is not indexed. */
export function literalField(name: string, value: string): Buffer {
  const [nameSize, valueSize] = [Buffer.from([0, name.length]), Buffer.from([value.length])];
  return Buffer.concat([nameSize, Buffer.from(name), valueSize, Buffer.from(value)]);
}

export function repeated(count: number, frame: Buffer): Buffer[] {
  return Array.from({ length: count }, () => frame);
}

export function textOf(answer: HttpAnswer | Error): string {
  return answer instanceof Error ? answer.message : `${answer.status} ${answer.body.toString()}`;
}

function parseFrames(bytes: Buffer): SentFrame[] {
  const frames: SentFrame[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + headerBytes + bytes.readUIntBE(at, 3);
    frames.push({
      ...{ type: bytes.readUInt8(at + 3), flagBits: bytes.readUInt8(at + 4), id: bytes.readUInt32BE(at + 5) },
      payload: bytes.subarray(at + headerBytes, end),
    });
    at = end;
  }
  return frames;
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await setImmediate();
}

/** The socket of a pipe. */
export class PipeSocket extends Duplex {
  readonly written: Buffer[] = [];
  readonly alpnProtocol = 'h2';

  open(): OpenConnection {
    const received = new ReceivedBytes();
    this.on('data', received.take);
    return { socket: this as unknown as Socket, received };
  }

  override _read(): void {
    /* The test pushes what is read. */
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written.push(chunk);
    done();
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }
}
