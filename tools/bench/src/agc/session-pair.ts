import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RemoteProcess } from '../remote.js';
import type { ServerMethods } from './answering-server.js';
import { source as serverSource } from './answering-server.worker.js';
import type { HoldOptions } from './answering-service.js';
import type { ClientMemory, ClientMethods, ClientProcess } from './client-methods.js';
import type { Client } from './figures.js';
import { GoClient } from './go-client.js';
import { imageEnv, imageFlags } from './image-settings.js';
import { source as nodeSource } from './node-polls.worker.js';
import type { Endpoint, Protocol } from './protocols.js';
import { source as brokerSource } from './sessions.worker.js';

interface PairOptions extends HoldOptions {
  protocol: Protocol;
  client: Client;
  signal: AbortSignal;
}

const callTimeoutMs = 60_000;
/** Timeout per session until it polls: some of a thousand are late on a busy machine. */
const openTimeoutMs = 60_000;
const openMsOfSession = 60;

/** A service and one client of it, each in a separate process. */
export class SessionPair {
  readonly server: RemoteProcess<ServerMethods>;
  readonly client: ClientProcess;
  readonly #endpoint: Endpoint;
  #polls = 0;
  #sessions = 0;

  private constructor(server: RemoteProcess<ServerMethods>, client: ClientProcess, endpoint: Endpoint) {
    this.server = server;
    this.client = client;
    this.#endpoint = endpoint;
  }

  /** Runs `measure` with a new pair. */
  static async use<R>(
    { protocol, client, signal, ...hold }: PairOptions,
    measure: (pair: SessionPair) => Promise<R>,
  ): Promise<R> {
    const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-'));
    const processes: { close(): void }[] = [];
    try {
      const server = await RemoteProcess.start<ServerMethods>({
        ...{ folder, name: 'service', source: serverSource, args: [], signal },
      });
      processes.push(server);
      const endpoint = await server.call('start', { protocol, ...hold }, callTimeoutMs);
      const clientProcess = await startClient(client, folder, signal);
      processes.push(clientProcess);
      return await measure(new SessionPair(server, clientProcess, endpoint));
    } finally {
      for (const process of processes) process.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  get sessions(): number {
    return this.#sessions;
  }

  /** Opens sessions up to a number. Resolves when all of them poll. */
  async open(count: number): Promise<void> {
    const endpoint = this.#endpoint;
    const timeoutMs = openTimeoutMs + (count - this.#sessions) * openMsOfSession;
    const more = await this.client.call('open', { endpoint, from: this.#sessions, to: count }, timeoutMs);
    this.#sessions = count;
    this.#polls += more;
    await this.server.call('polled', { count: this.#polls, timeoutMs }, timeoutMs + callTimeoutMs);
  }

  /** Returns the number of polls so far. */
  polls(): Promise<number> {
    return this.server.call('polls', {}, callTimeoutMs);
  }

  memory(): Promise<ClientMemory> {
    return this.client.call('memory', {}, callTimeoutMs);
  }
}

function startClient(client: Client, folder: string, signal: AbortSignal): Promise<ClientProcess> {
  if (client === 'go') return GoClient.start(folder, signal);
  const [name, source] = client === 'broker' ? ['sessions', brokerSource] : ['polls', nodeSource];
  return RemoteProcess.start<ClientMethods>({
    ...{ folder, name, source, args: [], flags: imageFlags, env: imageEnv, signal },
  });
}
