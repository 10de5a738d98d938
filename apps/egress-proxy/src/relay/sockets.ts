import type { Socket } from 'node:net';
import {
  onStreamEnd,
  resetSocket,
  type Relay,
  type RelayedTunnel,
  type RelayEnd,
  type TunnelEnds,
} from './relay.js';

/** The engine that uses nothing but what Node.js documents. It relays TLS too. */
export const socketsRelay: Relay = {
  name: 'sockets',
  start: (ends, onEnd) => new SocketTunnel(ends, onEnd),
};

class SocketTunnel implements RelayedTunnel {
  readonly #client: Socket;
  readonly #target: Socket;
  readonly #onEnd: (end: RelayEnd) => void;
  #bytesUp = 0;
  #bytesDown = 0;
  #openDirections = 2;
  #isOver = false;

  constructor({ client, target, greeting, early }: TunnelEnds, onEnd: (end: RelayEnd) => void) {
    this.#client = client;
    this.#target = target;
    this.#onEnd = onEnd;
    client.on('error', () => this.#finish('clientReset'));
    target.on('error', () => this.#finish('targetReset'));
    /* A socket that was destroyed before it came here reports nothing any more. */
    if (client.destroyed || target.destroyed) {
      const end = client.destroyed ? 'clientReset' : 'targetReset';
      queueMicrotask(() => this.#finish(end));
      return;
    }
    client.write(greeting, 'latin1');
    if (early.length > 0) {
      this.#bytesUp = early.length;
      target.write(early);
    }
    this.#join(client, target, 'clientReset', (bytes) => (this.#bytesUp += bytes));
    this.#join(target, client, 'targetReset', (bytes) => (this.#bytesDown += bytes));
  }

  get bytesUp(): number {
    return this.#bytesUp;
  }

  get bytesDown(): number {
    return this.#bytesDown;
  }

  get buffered(): number {
    const sockets = [this.#client, this.#target];
    return sockets.reduce((sum, socket) => sum + socket.writableLength + socket.readableLength, 0);
  }

  cut(): void {
    this.#finish('cut');
  }

  /** Moves one direction. The listeners go with the sockets. */
  #join(from: Socket, to: Socket, end: RelayEnd, count: (bytes: number) => void): void {
    from.on('data', (chunk: Buffer) => {
      count(chunk.length);
      if (!to.write(chunk)) from.pause();
    });
    to.on('drain', () => from.resume());
    onStreamEnd(from, () => to.end());
    to.on('finish', () => {
      this.#openDirections -= 1;
      if (this.#openDirections === 0) this.#finish('completed');
    });
    from.on('close', () => this.#finish(end));
    if (to.writableNeedDrain) from.pause();
    else from.resume();
  }

  #finish(end: RelayEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (end === 'completed') {
      this.#client.destroy();
      this.#target.destroy();
    } else {
      resetSocket(this.#client);
      resetSocket(this.#target);
    }
    this.#onEnd(end);
  }
}
