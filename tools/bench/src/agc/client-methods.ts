import type { Endpoint } from './protocols.js';

/** Bytes of a process after a garbage collection. */
export interface ClientMemory {
  /** Resident, without what is in files, such as the program itself. */
  anonymous: number;
  rss: number;
  heapUsed: number;
}

/** What a client process does for the benchmark, whatever its sessions are made of. */
export interface ClientMethods {
  /**
   * Opens further sessions, of the runners `from` to `to - 1`; they are under way when this returns.
   *
   * @returns how many polls more the service will hold
   */
  open(parameters: { endpoint: Endpoint; from: number; to: number }): Promise<number>;
  memory(parameters: Record<string, never>): Promise<ClientMemory>;
  /** Waits until so many answers more have reached the handler since the last call. Returns when each one did, in nanoseconds, by its runner. */
  handled(parameters: { count: number; timeoutMs: number }): Promise<[runner: number, at: number][]>;
}

/** What answers the methods of a client, in another process. */
export interface ClientProcess {
  readonly pid: number;
  call<K extends keyof ClientMethods>(
    method: K,
    parameters: Parameters<ClientMethods[K]>[0],
    timeoutMs: number,
  ): Promise<Awaited<ReturnType<ClientMethods[K]>>>;
  close(): void;
}
