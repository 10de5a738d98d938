import { readdir, readFile } from 'node:fs/promises';

/* A process may start another process while the list is read. */
const mostPasses = 5;

/**
 * Finds and ends processes by a text in their environment, so that processes that have left their process group end
 * too. On a machine without `/proc`, no process is found.
 */
export class MarkedProcesses {
  readonly #waiting = new Map<string, () => void>();
  #isRunning = false;

  /** Kills all processes with the marker. Concurrent calls share one list of processes. Never rejects. */
  kill(marker: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(marker, resolve);
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      const batch = new Map(this.#waiting);
      this.#waiting.clear();
      const markers = [...batch.keys()];
      for (let left = mostPasses; left > 0 && (await killAny(markers)); left -= 1);
      for (const resolve of batch.values()) resolve();
    }
    this.#isRunning = false;
  }
}

/** Kills the processes with one of the markers once. Returns whether there were any. */
async function killAny(markers: readonly string[]): Promise<boolean> {
  const names = await readdir('/proc').catch(() => []);
  let isAny = false;
  for (const name of names.filter((one) => /^\d+$/.test(one))) {
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    if (!markers.some((marker) => environment.includes(marker))) continue;
    isAny = true;
    try {
      process.kill(Number(name), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  return isAny;
}
