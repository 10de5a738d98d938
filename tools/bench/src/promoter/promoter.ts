import type { Benchmark } from '../benchmark.js';
import { measureEventLoop } from './event-loop.js';
import { measureIdleCost } from './idle.js';
import { measureLatency } from './latency.js';
import { measureMemory } from './memory.js';
import { measureMirrors } from './mirrors.js';
import { measureNeighbour } from './neighbour.js';
import { measureRepositories } from './repositories.js';

/** Measures the latency of the promoter, its cost while idle, and its memory. */
export const promoter: Benchmark = {
  description:
    'webhook to pull request, alone and beside dead remotes; delays of a large process; idle cost per repository; 1,000 ProposedCommits, 1,000 repositories',
  async run(context) {
    return [
      ...(await measureLatency(context)),
      ...(await measureNeighbour(context)),
      ...(await measureIdleCost(context)),
      ...(await measureMemory(context)),
      ...(await measureMirrors(context)),
      ...(await measureRepositories(context)),
      ...(await measureEventLoop(context)),
    ];
  },
};
