import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { byLauncher } from './programs.js';

const title = 'interlock-launcher';

/** Measures the memory of the launcher that it does not share with other Node.js processes. */
export async function measureLauncherMemory({ say }: BenchmarkContext): Promise<Measurement> {
  say('process: memory of the launcher');
  await once(byLauncher('/bin/true'), 'close');
  const pid = launcherOf(process.pid);
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kibibytes = [...rollup.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm)].map(([, size]) =>
    Number(size),
  );
  const value = kibibytes.reduce((sum, size) => sum + size, 0) / 1024;
  return { metric: 'memory of the launcher that it does not share', value, unit: 'MiB' };
}

function launcherOf(parent: number): string {
  const isLauncher = (pid: string): boolean => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const isChild = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(title);
    } catch {
      return false; // The process has ended meanwhile.
    }
  };
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && isLauncher(name));
  if (pid === undefined) throw new Error('there is no launcher');
  return pid;
}
