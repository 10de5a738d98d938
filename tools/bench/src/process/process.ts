import type { Benchmark } from '../benchmark.js';
import { measureLauncherMemory } from './memory.js';
import { measureStarts } from './starts.js';
import { measureStreams } from './streams.js';

/**
 * Measures the start of a program by the launcher of `libs/process`. The peer is `spawn` of Node.js in the same run.
 */
export const processes: Benchmark = {
  description:
    'starts of programs by the launcher and by spawn, with three sizes of the process, and their streams',
  async run(context) {
    return [
      ...(await measureStarts(context)),
      ...(await measureStreams(context)),
      await measureLauncherMemory(context),
    ];
  },
};
