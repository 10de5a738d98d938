import { spawn, type ChildProcess } from 'node:child_process';
import { messageOf, TypedError } from '@interlock/api';

export interface Command {
  program: string;
  args: readonly string[];
  /** What it does, for messages. */
  operation: string;
  environment: Readonly<Record<string, string>>;
  input?: string | Buffer;
  signal?: AbortSignal | undefined;
  timeoutMs: number;
  maxOutputBytes: number;
}

export interface CommandResult {
  code: number;
  stdout: Buffer;
  /** The end of it, at most 64 KiB. */
  stderr: string;
}

const MAX_STDERR_BYTES = 64 * 1024;
const KILL_AFTER_MS = 2_000;
/* What a program has started may outlive it in a group of its own, and hold its output open. */
const GIVE_UP_AFTER_MS = 2 * KILL_AFTER_MS;

/** Starts a program that leads its own process group, away from every repository's folder. */
export function start({
  program,
  args,
  environment,
}: Pick<Command, 'program' | 'args' | 'environment'>): ChildProcess {
  return spawn(program, args, { env: environment, cwd: '/', detached: true, stdio: 'pipe' });
}

/** Ends a process and everything it started: politely first, so that git removes its temporary files. */
export function kill(child: ChildProcess): void {
  const signalGroup = (signal: NodeJS.Signals) => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The group is gone already.
    }
  };
  signalGroup('SIGTERM');
  const timer = setTimeout(() => signalGroup('SIGKILL'), KILL_AFTER_MS);
  child.once('close', () => clearTimeout(timer));
}

/**
 * Runs a program to its end.
 * @returns exit code and output, whatever the code is.
 * @throws the signal's reason after an abort; TypedError `Transient` (`GitTimeout`), `Invalid` (`GitOutputTooLarge`) or
 * `Permanent` (`GitNotFound`).
 */
export async function run(command: Command): Promise<CommandResult> {
  command.signal?.throwIfAborted();
  const child = start(command);
  let stop: unknown;
  let giveUp: NodeJS.Timeout | undefined;
  const stopped = new AbortController();
  const stopWith = (reason: unknown) => {
    if (stop !== undefined) return;
    stop = reason;
    kill(child);
    giveUp = setTimeout(() => stopped.abort(), GIVE_UP_AFTER_MS);
  };
  const timer = setTimeout(
    () => stopWith(timeoutError(command.operation, command.timeoutMs)),
    command.timeoutMs,
  );
  const onAbort = () => stopWith(command.signal?.reason);
  command.signal?.addEventListener('abort', onAbort, { once: true });

  const output = collect(child, command, stopWith);
  child.stdin?.on('error', () => undefined); // A program that ends before reading all of its input says so by its code.
  child.stdin?.end(command.input ?? '');
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(startError(command.program, error)));
      child.once('close', (exitCode) => resolve(exitCode ?? -1));
      stopped.signal.addEventListener('abort', () => {
        for (const stream of child.stdio) stream?.destroy();
        resolve(-1);
      });
    });
    if (stop !== undefined) throw stop;
    return { code, ...output() };
  } finally {
    clearTimeout(timer);
    clearTimeout(giveUp);
    command.signal?.removeEventListener('abort', onAbort);
  }
}

function collect(
  child: ChildProcess,
  { maxOutputBytes }: Command,
  stopWith: (reason: unknown) => void,
): () => Pick<CommandResult, 'stdout' | 'stderr'> {
  const stdout: Buffer[] = [];
  let size = 0;
  let stderr = Buffer.alloc(0);
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxOutputBytes) stdout.push(chunk);
    else
      stopWith(
        new TypedError('Invalid', `git wrote more than ${maxOutputBytes} bytes`, {
          reason: 'GitOutputTooLarge',
        }),
      );
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-MAX_STDERR_BYTES);
  });
  return () => ({ stdout: Buffer.concat(stdout), stderr: stderr.toString('utf8') });
}

/** @returns the error of a git operation that took longer than it may. */
export function timeoutError(operation: string, timeoutMs: number): TypedError {
  return new TypedError('Transient', `git ${operation} did not finish within ${timeoutMs / 1000} s`, {
    reason: 'GitTimeout',
  });
}

/** @returns the error of a program that is not there. */
export function programMissing(program: string, cause?: unknown): TypedError {
  return new TypedError('Permanent', `there is no program ${program}`, { reason: 'GitNotFound', cause });
}

function startError(program: string, cause: unknown): TypedError {
  const isAbsent = typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ENOENT';
  if (isAbsent) return programMissing(program, cause);
  return new TypedError('Transient', `cannot start ${program}: ${messageOf(cause)}`, {
    reason: 'GitNotStarted',
    cause,
  });
}
