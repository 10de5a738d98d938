import { LRUCache } from 'lru-cache';
import { connectionError, LauncherConnection } from './connection.js';
import { tooManyProcesses } from './errors.js';
import { findProgram, isProgram } from './program.js';
import { SpawnedProcess, type ProgramStart } from './spawned-process.js';

export interface LauncherOptions {
  /** Maximum number of processes at the same time. Default: 512. */
  maxProcesses?: number;
  /**
   * Milliseconds in which the launcher process has to answer a start; a process that exceeds them is replaced.
   * Default: 30,000.
   */
  startTimeoutMs?: number;
}

const defaultMaxProcesses = 512;
const defaultStartTimeoutMs = 30_000;
const maxKnownPrograms = 100;

/**
 * Starts processes through a small long-lived process. The system copies the page tables of the parent of a process, so a
 * start takes longer the more memory the parent uses.
 */
export class Launcher {
  readonly #maxProcesses: number;
  readonly #startTimeoutMs: number;
  readonly #programs = new LRUCache<string, string>({ max: maxKnownPrograms });
  #connection: LauncherConnection | undefined;

  constructor(options: LauncherOptions = {}) {
    this.#maxProcesses = options.maxProcesses ?? defaultMaxProcesses;
    this.#startTimeoutMs = options.startTimeoutMs ?? defaultStartTimeoutMs;
  }

  /** The id of the launcher process, if there is one. */
  get pid(): number | undefined {
    return this.#connection?.isOpen === true ? this.#connection.pid : undefined;
  }

  /**
   * Starts a program. When it cannot be started, the process reports an error: TypedError `Permanent` (`ProgramMissing`),
   * `NotFound` (`FolderMissing`) or `Transient`, as in `processReasons`.
   */
  start(start: ProgramStart): SpawnedProcess {
    const spawned = new SpawnedProcess(start);
    try {
      const connection = this.#connect();
      if (connection.size >= this.#maxProcesses) failLater(spawned, tooManyProcesses(this.#maxProcesses));
      else connection.start(spawned, { ...start, program: this.#locate(start) });
    } catch (error) {
      failLater(spawned, connectionError(error));
    }
    return spawned;
  }

  /**
   * Ends the launcher process and all its processes. Resolves when the launcher process has exited. A later start
   * uses a new launcher process.
   */
  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  #connect(): LauncherConnection {
    if (this.#connection?.isOpen !== true) this.#connection = new LauncherConnection(this.#startTimeoutMs);
    return this.#connection;
  }

  #locate({ program, environment }: ProgramStart): string {
    if (program.includes('/')) return program;
    const path = environment['PATH'] ?? '';
    const key = `${path}\0${program}`;
    const known = this.#programs.get(key);
    if (known !== undefined && isProgram(known)) return known;
    const found = findProgram(program, path);
    if (found !== undefined) this.#programs.set(key, found);
    return found ?? program;
  }
}

function failLater(spawned: SpawnedProcess, error: Error): void {
  process.nextTick(() => spawned.failed(error));
}
