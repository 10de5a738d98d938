import type { Benchmark } from '../benchmark.js';
import { measureDecisions } from './decisions.js';
import { measureOverrides } from './overrides.js';
import { measureTransition } from './transition.js';

export const gates: Benchmark = {
  description:
    'decisions over 1,000 gates; a transition that reaches 1,000 bound sources; 20,000 ended overrides',
  run: async (context) => [
    ...measureDecisions(context),
    ...(await measureTransition(context)),
    ...(await measureOverrides(context)),
  ],
};
