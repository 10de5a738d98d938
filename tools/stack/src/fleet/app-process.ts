import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { bundleOf } from '../paths.js';
import { messageOfLine } from './log-line.js';

interface AppOptions {
  app: string;
  args: readonly string[];
  env?: Record<string, string> | undefined;
  logFile: string;
}

const graceMs = 10_000;

/** The bundle of an app as a separate process, which ends with this process and logs to a file. */
export class AppProcess {
  #child: ChildProcess | undefined;
  #ending = false;

  constructor(readonly options: AppOptions) {}

  get name(): string {
    return this.options.app;
  }

  /** Process id of the current or last process. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Called with the last line of the log when the process exits without a request. */
  onCrash: (reason: string) => void = () => undefined;

  /** Starts the process; does nothing while it runs. */
  start(): void {
    if (this.running) return;
    const log = createWriteStream(this.options.logFile, { flags: 'a' });
    const child = spawn(process.execPath, [bundleOf(this.options.app), ...this.options.args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', ...this.options.env },
    });
    child.stdout.pipe(log);
    child.stderr.pipe(log, { end: false });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    let lastLine = '';
    const keepLastLine = (chunk: Buffer): void => {
      lastLine = chunk.toString('utf8').trim().split('\n').at(-1) ?? '';
    };
    /* An error that occurs before the app can log is written to the other stream. */
    for (const output of [child.stdout, child.stderr]) output.on('data', keepLastLine);
    child.on('exit', () => process.off('exit', kill));
    child.on('close', (code, signal) => {
      if (this.#child !== child || this.#ending) return;
      this.onCrash(`${this.name} ended with ${signal ?? code}: ${messageOfLine(lastLine).slice(0, 2000)}`);
    });
    this.#child = child;
    this.#ending = false;
  }

  /** Ends the process with SIGTERM, and with SIGKILL if it still runs after 10 s. @returns its exit code. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || !this.running) return child?.exitCode ?? null;
    this.#ending = true;
    const exited = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await exited;
    clearTimeout(timer);
    return child.exitCode;
  }
}
