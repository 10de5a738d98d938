import { readdir, readFile } from 'node:fs/promises';
import { setInterval } from 'node:timers/promises';

const periodMs = 100;

interface ProcessMemory {
  parent: number;
  /** Returns the anonymous memory of a process in bytes. */
  bytes: number;
}

/** Records the maximum memory of a process and its descendants until it is stopped. Requires `/proc`. */
export class MemoryPeak {
  #bytes = 0;
  readonly #stopping = new AbortController();
  readonly #sampling: Promise<void>;

  constructor(pid: number) {
    this.#sampling = this.#sample(pid);
  }

  /** Ends the recording. Returns the peak in bytes. */
  async stop(): Promise<number> {
    this.#stopping.abort();
    await this.#sampling;
    return this.#bytes;
  }

  async #sample(pid: number): Promise<void> {
    try {
      for await (const _ of setInterval(periodMs, undefined, { signal: this.#stopping.signal }))
        this.#bytes = Math.max(this.#bytes, treeBytes(pid, await readProcesses()));
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error;
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
