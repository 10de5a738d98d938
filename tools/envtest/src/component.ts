import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { guardProgram } from './guard.js';

/** Time within which a guard has to end after its binary. */
const guardGraceMs = 2000;
const pollMs = 100;
const tailLines = 15;
/**
 * Environment variables that are passed to a process. Other variables, such as the variables of proxies and `ETCD_*`,
 * would change its behavior.
 */
const passedOn = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LD_LIBRARY_PATH', 'ETCD_UNSUPPORTED_ARCH'];

/** A condition: returns undefined if it holds, otherwise a description of what is missing. */
export type Missing = () => Promise<string | undefined>;

interface ComponentOptions {
  file: string;
  args: readonly string[];
  /** Folder for its files and its log. */
  folder: string;
  /** Time after SIGTERM until it is killed. */
  stopTimeoutMs: number;
}

/** A binary that runs in a separate process group, ends with this process, and logs to a file. */
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
    /* Closing the pipe of a guard that has ended may fail. */
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
   * Waits until the condition holds. @throws Error with the file and its last log lines when the process ends earlier,
   * or when the signal aborts
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

  /** Ends the process with SIGTERM, and with SIGKILL if it does not end in time. */
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
