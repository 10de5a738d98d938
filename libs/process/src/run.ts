import { AnswerTimer } from './answer-timer.js';
import { outputTooLarge, timeoutError } from './errors.js';
import type { Launcher } from './launcher.js';
import type { ProgramStart, SpawnedProcess } from './spawned-process.js';

export interface ProgramRun extends ProgramStart {
  /** The command, for messages, such as `git fetch`. Default: `program`. */
  name?: string | undefined;
  /** Default: no input. */
  input?: string | Buffer | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs: number;
  /** Upper bound of standard output. */
  maxOutputBytes: number;
}

export interface ProgramResult {
  /** The exit code; undefined when a signal ended the process. */
  code: number | undefined;
  signal: NodeJS.Signals | undefined;
  stdout: Buffer;
  /** The end of the standard error, at most 64 KiB. */
  stderr: string;
}

const maxStderrBytes = 64 * 1024;
/* Descendants of a program may outlive it in another process group, and keep its output open. */
const giveUpAfterMs = 4_000;

/**
 * Runs a program to its end.
 * @returns the exit code and the output, whatever the code is.
 * @throws the signal's reason after an abort; TypedError `Transient` (`ProcessTimeout`), `Invalid` (`OutputTooLarge`), and as
 * {@link Launcher.start}.
 */
export async function runBy(launcher: Launcher, run: ProgramRun): Promise<ProgramResult> {
  const { name = run.program, input, signal, timeoutMs, maxOutputBytes } = run;
  signal?.throwIfAborted();
  const hasInput = input !== undefined && input.length > 0;
  const ignore = [...(run.ignore ?? []), ...(hasInput ? [] : ['stdin' as const])];
  const child = launcher.start({ ...run, ignore });
  const stop = new AbortController();
  const timer = new AnswerTimer(timeoutMs, () => stop.abort(timeoutError(name, timeoutMs)));
  const onAbort = () => stop.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const output = collect(child, maxOutputBytes, () => stop.abort(outputTooLarge(name, maxOutputBytes)));
  child.stdin.on('error', () => undefined); // A program that ends before it has read its input reports that by its exit code.
  if (hasInput) child.stdin.end(input);
  try {
    const ended = await endOf(child, stop.signal);
    stop.signal.throwIfAborted();
    return { ...ended, ...output() };
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Resolves when the process is closed, even if it was stopped. */
function endOf(child: SpawnedProcess, stop: AbortSignal): Promise<Pick<ProgramResult, 'code' | 'signal'>> {
  return new Promise((resolve, reject) => {
    let giveUp: NodeJS.Timeout | undefined;
    child.once('close', (code, signal) => {
      clearTimeout(giveUp);
      resolve({ code: code ?? undefined, signal: signal ?? undefined });
    });
    child.once('error', reject);
    stop.addEventListener('abort', () => {
      child.stop();
      giveUp = setTimeout(() => {
        child.disconnect();
        reject(stop.reason as Error);
      }, giveUpAfterMs);
    });
  });
}

function collect(
  child: SpawnedProcess,
  maxBytes: number,
  onTooLarge: () => void,
): () => Pick<ProgramResult, 'stdout' | 'stderr'> {
  const stdout: Buffer[] = [];
  let size = 0;
  let stderr = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) stdout.push(chunk);
    else onTooLarge();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-maxStderrBytes);
  });
  return () => ({ stdout: Buffer.concat(stdout), stderr: stderr.toString('utf8') });
}
