import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { AnsweringService, type HoldOptions } from './answering-service.js';
import { createCertificate } from '../certificate.js';
import { serveHttp1 } from './http1-service.js';
import { serveHttp2 } from './http2-service.js';
import { sharedNow, urlOf, type Endpoint, type Protocol } from './protocols.js';

interface Count {
  count: number;
  timeoutMs: number;
}

export interface ServerMethods {
  start(parameters: { protocol: Protocol } & HoldOptions): Promise<Endpoint>;
  /** Waits until a number of runners have polled. */
  polled(parameters: Count): Promise<void>;
  /** Waits until a number of polls are held. */
  held(parameters: Count): Promise<void>;
  /** Returns the number of polls so far. */
  polls(parameters: Record<string, never>): number;
  /** Answers runners one after the other, with a pause in between. Returns the time of each answer, in nanoseconds. */
  answerEach(parameters: { runners: readonly number[]; pauseMs: number }): Promise<number[]>;
  /** Answers all runners at once. Returns the time of each answer and of the end, in nanoseconds. */
  answerAll(parameters: { from: number; to: number }): { sent: number[]; endedAt: number };
}

const lookMs = 20;
const backlog = 4_096;

/** The service of the benchmark in a separate process, so that it does not affect the figures of the clients. */
export class AnsweringServer implements ServerMethods {
  #service: AnsweringService | undefined;

  async start({ protocol, ...options }: { protocol: Protocol } & HoldOptions): Promise<Endpoint> {
    const certificate = await createCertificate();
    const server = serverOf(protocol, certificate, () => this.#running);
    server.listen({ port: 0, host: '127.0.0.1', backlog });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    this.#service = new AnsweringService(urlOf({ protocol, port }), options);
    return { protocol, port, ca: protocol === 'tcp' ? '' : certificate.cert };
  }

  polled({ count, timeoutMs }: Count): Promise<void> {
    return until(count, timeoutMs, () => this.#running.runners);
  }

  held({ count, timeoutMs }: Count): Promise<void> {
    return until(count, timeoutMs, () => this.#running.held);
  }

  polls(): number {
    return this.#running.polls;
  }

  async answerEach({ runners, pauseMs }: { runners: readonly number[]; pauseMs: number }): Promise<number[]> {
    const times: number[] = [];
    for (const runner of runners) {
      times.push(this.#running.cancel(runner));
      await sleep(pauseMs);
    }
    return times;
  }

  answerAll({ from, to }: { from: number; to: number }): { sent: number[]; endedAt: number } {
    const sent: number[] = [];
    for (let runner = from; runner < to; runner++) sent.push(this.#running.cancel(runner));
    return { sent, endedAt: sharedNow() };
  }

  get #running(): AnsweringService {
    if (this.#service === undefined) throw new Error('the service has not been started');
    return this.#service;
  }
}

async function until(count: number, timeoutMs: number, read: () => number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (read() < count) {
    if (performance.now() > deadline) throw new Error(`${read()} of ${count} sessions poll`);
    await sleep(lookMs);
  }
}

function serverOf(
  protocol: Protocol,
  { cert, key }: { cert: string; key: string },
  service: () => AnsweringService,
): Server {
  if (protocol === 'tcp') return createServer((socket) => serveHttp1(socket, service()));
  const [name, serve] =
    protocol === 'h2' ? (['h2', serveHttp2] as const) : (['http/1.1', serveHttp1] as const);
  return createTlsServer({ cert, key, ALPNProtocols: [name] }, (socket) => serve(socket, service()));
}
