import { availableParallelism, loadavg, platform, arch, totalmem } from 'node:os';

/** The machine on which was measured, without anything that identifies its owner. */
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
