import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Distributes the connections to one port to several ports in turn, as a Service does. */
export class Balancer {
  /** The ports of 127.0.0.1 to which connections are forwarded. */
  endpoints: readonly number[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #connections = 0;

  private constructor() {
    this.#server = createServer((socket) => this.#forward(socket));
  }

  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #forward(socket: Socket): void {
    const port = this.endpoints[this.#connections++ % Math.max(1, this.endpoints.length)];
    if (port === undefined) {
      socket.destroy();
      return;
    }
    const backend = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [socket, backend],
      [backend, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
