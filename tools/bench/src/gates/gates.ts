import type { Benchmark } from '../benchmark.js';
import { measureTransition } from './transition.js';

/** How fast a gate reaches what is bound to it. */
export const gates: Benchmark = {
  description: 'a transition of a gate reaches 1,000 bound sources',
  run: measureTransition,
};
