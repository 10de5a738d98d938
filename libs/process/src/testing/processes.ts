import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Polls for a condition. Rejects after a minute. */
export async function until(condition: () => boolean): Promise<void> {
  for (let left = 6_000; !condition(); left -= 1) {
    if (left === 0) throw new Error('the condition did not become true');
    await delay(10);
  }
}

/** Returns whether a process runs: a process that has ended and waits for its parent does not run. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
