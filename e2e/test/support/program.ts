import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from '@interlock/kube/testing';

/** The root of the workspace. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface ProgramOptions {
  env?: Record<string, string>;
  timeoutMs?: number;
}

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/* Variables that Nx sets for the test task must not be passed to programs that start Nx themselves. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^NX_|^JEST_|^NODE_OPTIONS$|^FORCE_COLOR$/.test(name)),
);

/** A program that runs in a separate process group at the root of the workspace. */
export class Program {
  #stdout = '';
  #stderr = '';
  readonly ended: Promise<Ended>;

  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;

    child.stdout?.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
  }

  static start(command: string, args: readonly string[], { env = {} }: ProgramOptions = {}): Program {
    const child = spawn(command, args, {
      cwd: root,
      detached: true,
      env: { ...environment, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Program(child);
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** @throws Error with the output when the text does not appear in time */
  async says(text: string, timeoutMs = 120_000): Promise<void> {
    await eventually(() => {
      if (!this.#stdout.includes(text))
        throw new Error(`"${text}" is not in: ${this.#stdout}${this.#stderr}`);
    }, timeoutMs);
  }

  /** Sends a signal only to this process. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends a signal to the process group, as a terminal does for Ctrl-C. */
  signalGroup(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
  }

  /** Kills the remaining processes of the group. */
  async destroy(): Promise<void> {
    try {
      this.signalGroup('SIGKILL');
    } catch {
      // The group is gone already.
    }
    await this.ended;
  }
}

/** Runs a program to its end. @throws Error with the output when it does not end in time */
export async function run(
  command: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<Ended & { stdout: string; stderr: string }> {
  const program = Program.start(command, args, options);
  const { timeoutMs = 60_000 } = options;
  const timer = setTimeout(() => void program.destroy(), timeoutMs);
  const ended = await program.ended;
  clearTimeout(timer);
  const { stdout, stderr } = program;
  if (ended.signal === 'SIGKILL') {
    throw new Error(`${command} ${args.join(' ')} was killed after ${timeoutMs} ms: ${stdout}${stderr}`);
  }
  return { ...ended, stdout, stderr };
}

/**
 * Returns the running processes with a text in their command line or environment: process id, command line and, if `ps`
 * shows them, environment variables.
 */
export async function processesWith(text: string): Promise<string[]> {
  const { stdout } = await run('ps', ['axewwo', 'pid=,args=']);
  return stdout.split('\n').filter((line) => line.includes(text));
}
