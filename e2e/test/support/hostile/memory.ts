import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

const pauseMs = 100;

interface ProcessMemory {
  parent: number;
  /** Returns the anonymous memory of a process in bytes. */
  bytes: number;
}

/** Records the maximum memory of processes, each with its descendants, until it is stopped. Requires `/proc`. */
export class MemoryPeaks {
  readonly #peaks: Map<number, number>;
  readonly #stopping = new AbortController();
  readonly #sampling: Promise<void>;

  constructor(pids: readonly number[]) {
    this.#peaks = new Map(pids.map((pid) => [pid, 0]));
    this.#sampling = this.#sample();
  }

  /** Ends the recording. Returns the peaks in bytes by pid. */
  async stop(): Promise<ReadonlyMap<number, number>> {
    this.#stopping.abort();
    await this.#sampling;
    return this.#peaks;
  }

  async #sample(): Promise<void> {
    const { signal } = this.#stopping;
    /* The pause begins after a sample: on a loaded machine a sample may take longer than the pause. */
    while (!signal.aborted) {
      const processes = await readProcesses();
      for (const [pid, peak] of this.#peaks) this.#peaks.set(pid, Math.max(peak, treeBytes(pid, processes)));
      await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function readProcesses(): Promise<Map<number, ProcessMemory>> {
  const found = new Map<number, ProcessMemory>();
  for (const name of await readdir('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    /* A process may end meanwhile. */
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
    const field = (key: string): number =>
      Number(new RegExp(`^${key}:\\s+([0-9]+)`, 'm').exec(status)?.[1] ?? 0);
    found.set(Number(name), { parent: field('PPid'), bytes: field('RssAnon') * 1024 });
  }
  return found;
}

function treeBytes(pid: number, processes: ReadonlyMap<number, ProcessMemory>): number {
  let sum = processes.get(pid)?.bytes ?? 0;
  for (const [child, { parent }] of processes) if (parent === pid) sum += treeBytes(child, processes);
  return sum;
}
