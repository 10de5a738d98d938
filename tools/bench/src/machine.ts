import { availableParallelism, loadavg, platform, arch, totalmem } from 'node:os';

/** The machine of the measurement, without information that identifies its owner. */
export interface Machine {
  cores: number;
  memoryGiB: number;
  platform: string;
  node: string;
  /** Load average of the previous minute. */
  load: number;
}

/** Returns the current state of this machine. */
export function thisMachine(): Machine {
  return {
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    platform: `${platform()}-${arch()}`,
    node: process.versions.node,
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
  };
}
