import type { Endpoint } from './protocols.js';

/** Bytes of a process after a garbage collection. */
export interface ClientMemory {
  /** Resident memory without file-backed pages, such as the program itself. */
  anonymous: number;
  rss: number;
  heapUsed: number;
}

/** The methods of a client process of the benchmark, independent of its implementation. */
export interface ClientMethods {
  /**
   * Starts to open further sessions, for the runners `from` to `to - 1`. @returns the number of additional polls that
   * the service will hold
   */
  open(parameters: { endpoint: Endpoint; from: number; to: number }): Promise<number>;
  memory(parameters: Record<string, never>): Promise<ClientMemory>;
  /** Waits until a number of answers have reached the handler since the last call. Returns their times in nanoseconds, by runner. */
  handled(parameters: { count: number; timeoutMs: number }): Promise<[runner: number, at: number][]>;
}

/** A client in another process, whose methods are called remotely. */
export interface ClientProcess {
  readonly pid: number;
  call<K extends keyof ClientMethods>(
    method: K,
    parameters: Parameters<ClientMethods[K]>[0],
    timeoutMs: number,
  ): Promise<Awaited<ReturnType<ClientMethods[K]>>>;
  close(): void;
}
