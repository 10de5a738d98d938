import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { onStreamEnd, resetSocket } from '../relay/relay.js';
import { pattern } from './pattern.js';

/** One outer end of a tunnel: it sends the pattern, and checks that what it gets is the pattern. */
export class Peer {
  readonly socket: Socket;
  sent = 0;
  received = 0;
  /** What comes before the pattern. */
  #prefix: Buffer;
  isExact = true;
  hasEnd = false;
  isReset = false;
  isClosed = false;
  #onChange: () => void = () => undefined;

  constructor(socket: Socket, prefix = '') {
    this.socket = socket;
    this.#prefix = Buffer.from(prefix, 'latin1');
    socket.on('data', (chunk: Buffer) => this.#check(chunk));
    onStreamEnd(socket, () => this.#set(() => (this.hasEnd = true)));
    socket.on('error', () => this.#set(() => (this.isReset = true)));
    socket.on('close', () => this.#set(() => (this.isClosed = true)));
  }

  /** Sends the next bytes of the pattern. */
  send(length: number): void {
    if (this.socket.destroyed || this.socket.writableEnded) return;
    this.socket.write(pattern(this.sent, length));
    this.sent += length;
  }

  end(): void {
    this.socket.end();
  }

  reset(): void {
    resetSocket(this.socket);
  }

  /** Resolves when a condition holds, which is checked after each event of the connection. */
  async until(condition: (peer: this) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => (this.#onChange = resolve));
  }

  #check(chunk: Buffer): void {
    const start = this.#prefix.subarray(0, chunk.length);
    if (!chunk.subarray(0, start.length).equals(start)) this.isExact = false;
    this.#prefix = this.#prefix.subarray(start.length);
    const body = chunk.subarray(start.length);
    if (!pattern(this.received, body.length).equals(body)) this.isExact = false;
    this.received += body.length;
    this.#onChange();
  }

  #set(change: () => void): void {
    change();
    this.#onChange();
  }
}

/** Returns two ends of one connection on this machine, both paused. */
export async function connectedPair(): Promise<[Socket, Socket]> {
  const options = { allowHalfOpen: true, pauseOnConnect: true, noDelay: true };
  const server = createServer(options).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outer = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  const [[inner]] = (await Promise.all([once(server, 'connection'), once(outer, 'connect')])) as [
    [Socket],
    unknown,
  ];
  server.close();
  return [outer, inner];
}
