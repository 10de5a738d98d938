import { readFileSync } from 'node:fs';
import { findProgram } from '@interlock/process';

/** The limits of one process, and of each process that it starts; bytes. */
interface ResourceLimits {
  /** Private memory (`RLIMIT_DATA`). Mapped files, which the kernel can reclaim, do not count. */
  memory: number;
  /** The largest file that the process may write. */
  fileSize: number;
}

/** Wraps programs so that limits apply to them. */
export interface Limiter {
  /** Whether limits are set at all. */
  readonly isEffective: boolean;
  /** Returns the program and arguments to start instead. */
  wrap(program: string, args: readonly string[]): { program: string; args: readonly string[] };
}

/* Each thread reserves this much, which counts as used memory; the default of 8 MiB is for deep recursion. */
const stackBytes = 2 * 1024 ** 2;

const noLimits: Limiter = { isEffective: false, wrap: (program, args) => ({ program, args }) };

/** The message of `prlimit` when the program cannot be started. */
export const notStarted = 'prlimit: failed to execute ';

/**
 * Returns the limiter that uses prlimit(1) of util-linux, or a limiter without effect if prlimit is not installed:
 * there is no other way to set limits for another program without a shell. Lower limits of this process are kept.
 */
export function limiterOf(limits: ResourceLimits, path = process.env['PATH']): Limiter {
  const program = process.platform === 'linux' ? findProgram('prlimit', path) : undefined;
  if (program === undefined) return noLimits;
  const own = ownLimits();
  const memory = Math.min(limits.memory, own('Max data size'));
  const fileSize = Math.min(limits.fileSize, own('Max file size'));
  const stack = Math.min(stackBytes, own('Max stack size'));
  const options = [`--data=${memory}`, `--stack=${stack}`, `--fsize=${fileSize}`, '--core=0'];
  return {
    isEffective: true,
    wrap: (wrapped, args) => ({ program, args: [...options, wrapped, ...args] }),
  };
}

/** Returns the hard limits of this process (proc(5), `/proc/[pid]/limits`), which no process that it starts can raise. */
function ownLimits(): (name: string) => number {
  const lines = readFileSync('/proc/self/limits', 'utf8').split('\n');
  return (name) => {
    const line = lines.find((one) => one.startsWith(name)) ?? '';
    const [, hard = 'unlimited'] = line.slice(name.length).trim().split(/ +/);
    return hard === 'unlimited' ? Infinity : Number(hard);
  };
}
