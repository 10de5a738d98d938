import { setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

const pauseMs = 20;
const stalledBytes = 1024 * 1024;

interface FloodOptions {
  /** The URL of the webhooks. */
  urls: readonly string[];
  /** Clients that send unsigned deliveries one after another, by URL. */
  clients: number;
  /** Connections that announce a body of five MiB, send one MiB and stall, by URL. */
  stalled: number;
}

/** Sends unsigned webhooks as fast as possible. */
export class Flood {
  #sent = 0;
  readonly #stopping = new AbortController();
  readonly #agent: Agent;
  readonly #sockets: Socket[];
  readonly #running: Promise<unknown>;

  constructor({ urls, clients, stalled }: FloodOptions) {
    this.#agent = new Agent({ connections: clients });
    setMaxListeners(0, this.#stopping.signal);
    this.#sockets = urls.flatMap((url) => Array.from({ length: stalled }, () => stalledDelivery(url)));
    const all = urls.flatMap((url) => Array.from({ length: clients }, () => this.#send(url)));
    this.#running = Promise.all(all);
  }

  /** Returns the number of answered deliveries. */
  get sent(): number {
    return this.#sent;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const socket of this.#sockets) socket.destroy();
    await this.#running;
    await this.#agent.destroy();
  }

  async #send(url: string): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const { body } = await request(url, {
          dispatcher: this.#agent,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-github-event': 'push' },
          body: '{}',
          signal,
        });
        await body.dump();
        this.#sent++;
        await sleep(pauseMs, undefined, { signal });
      } catch {
        // The server refused the connection or the flood has ended.
      }
    }
  }
}

function stalledDelivery(url: string): Socket {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n` +
      `X-GitHub-Event: push\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\nContent-Length: ${5 * stalledBytes}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(stalledBytes, 0x20));
  return socket;
}
