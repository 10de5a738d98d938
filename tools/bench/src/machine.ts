import { availableParallelism, loadavg, platform, arch, totalmem } from 'node:os';

/** On what was measured; nothing that tells whose machine it is. */
export interface Machine {
  cores: number;
  memoryGiB: number;
  platform: string;
  node: string;
  /** Processes that wanted to run in the minute before. */
  load: number;
}

/** Returns this machine as it is now. */
export function thisMachine(): Machine {
  return {
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    platform: `${platform()}-${arch()}`,
    node: process.versions.node,
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
  };
}
