import type { Benchmark } from '../benchmark.js';
import { measureDecisions } from './decisions.js';
import { measureTransition } from './transition.js';

/** How fast gates are decided over, and how fast a gate reaches what is bound to it. */
export const gates: Benchmark = {
  description: 'decisions over 1,000 gates; a transition of a gate reaches 1,000 bound sources',
  run: async (context) => [...measureDecisions(context), ...(await measureTransition(context))],
};
