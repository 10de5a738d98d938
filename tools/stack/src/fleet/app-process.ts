import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { bundleOf } from '../paths.js';

export interface AppOptions {
  app: string;
  args: readonly string[];
  env?: Record<string, string>;
  logFile: string;
}

const graceMs = 10_000;

/** An app of the fleet: its bundle as a process of its own. What it logs goes to a file. */
export class AppProcess {
  private child: ChildProcess | undefined;

  constructor(readonly options: AppOptions) {}

  get name(): string {
    return this.options.app;
  }

  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  start(): void {
    const log = createWriteStream(this.options.logFile, { flags: 'a' });
    const child = spawn(process.execPath, [bundleOf(this.options.app), ...this.options.args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', ...this.options.env },
    });
    child.stdout.pipe(log);
    child.stderr.pipe(log, { end: false });
    this.child = child;
  }

  /** Ends the process: `SIGTERM` and, if that is not enough within 10 s, `SIGKILL`. @returns its exit code. */
  async stop(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  /** Ends the process as a power cut would. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    const { child } = this;
    if (child === undefined || !this.running) return child?.exitCode ?? null;
    const exited = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await exited;
    clearTimeout(timer);
    return child.exitCode;
  }
}
