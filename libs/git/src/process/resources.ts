import { readFileSync } from 'node:fs';
import { findProgram } from '@interlock/process';

/** What one process, and each that it starts, may use; bytes. */
export interface ResourceLimits {
  /** Memory of its own (`RLIMIT_DATA`); files that it maps, which the kernel can take back, do not count. */
  memory: number;
  /** The largest file that it may write. */
  fileSize: number;
}

/** How programs are started so that limits hold for them. */
export interface Limiter {
  /** Whether limits are set at all. */
  readonly isEffective: boolean;
  /** Returns the program to start, with its arguments, in place of these. */
  wrap(program: string, args: readonly string[]): { program: string; args: readonly string[] };
}

/* Each thread reserves as much, and that counts as memory in use; the usual 8 MiB are for programs that recurse deeply. */
const stackBytes = 2 * 1024 ** 2;

const noLimits: Limiter = { isEffective: false, wrap: (program, args) => ({ program, args }) };

/** What `prlimit` writes when the program that it is to start cannot be started. */
export const notStarted = 'prlimit: failed to execute ';

/**
 * Returns what sets the limits by prlimit(1) of util-linux, or nothing where the machine does not have it: no other way to
 * set limits for another program works without a shell. Limits that hold for this process already are kept.
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
