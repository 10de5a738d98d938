import type { Benchmark } from '../benchmark.js';
import { measureDecisions } from './decisions.js';
import { measureTransition } from './transition.js';

export const gates: Benchmark = {
  description: 'decisions over 1,000 gates; a transition that reaches 1,000 bound sources',
  run: async (context) => [...measureDecisions(context), ...(await measureTransition(context))],
};
