import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { guardProgram } from './guard.js';

/** How much longer than its binary a guard may take to end. */
const guardGraceMs = 2000;
const pollMs = 100;
const tailLines = 15;
/** Variables that a process gets. Others, such as those of proxies and `ETCD_*`, would change what it does. */
const passedOn = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LD_LIBRARY_PATH', 'ETCD_UNSUPPORTED_ARCH'];

/** A condition: undefined when it holds, else what is missing. */
export type Missing = () => Promise<string | undefined>;

interface ComponentOptions {
  file: string;
  args: readonly string[];
  /** Where it runs and logs. */
  folder: string;
  /** How long it may take to end from `SIGTERM` on; then it is killed. */
  stopTimeoutMs: number;
}

/** A binary that runs in a process group of its own and does not outlive this process. It logs to a file. */
export class Component {
  readonly #file: string;
  readonly #logFile: string;
  readonly #stopTimeoutMs: number;
  readonly #guard: ChildProcess;
  readonly #exited: Promise<unknown>;

  /** Starts the binary. A file that cannot be executed becomes an error of `waitUntil`. */
  constructor({ file, args, folder, stopTimeoutMs }: ComponentOptions) {
    this.#file = file;
    this.#stopTimeoutMs = stopTimeoutMs;
    this.#logFile = join(folder, `${basename(file)}.log`);
    const log = openSync(this.#logFile, 'a', 0o600);
    const guarded = ['--eval', guardProgram, '--', String(stopTimeoutMs), file, ...args];
    const guard = spawn(process.execPath, guarded, {
      cwd: folder,
      detached: true,
      env: environment(),
      stdio: ['pipe', log, log],
    });
    closeSync(log);
    /* Closing the pipe of a guard that is gone already may fail. */
    guard.stdin?.on('error', () => undefined);
    this.#guard = guard;
    this.#exited = once(guard, 'exit').then(() => this.#killGroup());
    this.#exited.catch(() => undefined);
  }

  get #name(): string {
    return basename(this.#file);
  }

  get #isRunning(): boolean {
    return this.#guard.pid !== undefined && this.#guard.exitCode === null && this.#guard.signalCode === null;
  }

  /**
   * Waits until nothing is missing.
   * @throws Error that names the file and its last log lines when the process ends before, or when the signal aborts.
   */
  async waitUntil(missing: Missing, signal: AbortSignal): Promise<void> {
    let problem: string | undefined = 'it has not been asked';
    while (!signal.aborted) {
      if (!this.#isRunning) throw await this.#error(`ended with ${this.#status} before it was ready`);
      problem = await missing();
      if (problem === undefined) return;
      await delay(pollMs, undefined, { signal }).catch(() => undefined);
    }
    throw await this.#error(`was not ready when the wait ended (${reasonOf(signal)}): ${problem}`);
  }

  /** Ends the process: `SIGTERM` and, when that is not enough in time, `SIGKILL`. */
  async stop(): Promise<void> {
    this.#guard.stdin?.end();
    const timer = setTimeout(() => this.#killGroup(), this.#stopTimeoutMs + guardGraceMs);
    await this.#exited.catch(() => undefined);
    clearTimeout(timer);
  }

  get #status(): string {
    const { exitCode, signalCode } = this.#guard;
    return signalCode ?? `exit code ${exitCode ?? 'unknown'}`;
  }

  #killGroup(): void {
    const { pid } = this.#guard;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  async #error(what: string): Promise<Error> {
    const log = (await readFile(this.#logFile, 'utf8').catch(() => '')).trimEnd();
    const tail = log === '' ? ['(none)'] : log.split('\n').slice(-tailLines);
    return new Error(
      [
        `${this.#name} ${what}.`,
        `File: ${this.#file}`,
        'Its last log lines:',
        ...tail.map((line) => `  ${line}`),
        `Fix: run \`${this.#file} --version\`. The file has to be a build for this machine of etcd 3.4 or later, or of Kubernetes 1.30 or later.`,
      ].join('\n'),
    );
  }
}

function environment(): NodeJS.ProcessEnv {
  const entries = passedOn.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error ? reason.message : String(reason);
}
