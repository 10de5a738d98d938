import type { Benchmark } from '../benchmark.js';
import { measureIdleCost } from './idle.js';
import { measureLatency } from './latency.js';
import { measureMemory } from './memory.js';
import { measureMirrors } from './mirrors.js';

/** How fast the promoter is, what it costs when nothing happens, and how much it holds in memory. */
export const promoter: Benchmark = {
  description:
    'webhook to pull request, idle cost per repository, memory at 1,000 ProposedCommits and 1,000 mirrors',
  async run(context) {
    return [
      ...(await measureLatency(context)),
      ...(await measureIdleCost(context)),
      ...(await measureMemory(context)),
      ...(await measureMirrors(context)),
    ];
  },
};
