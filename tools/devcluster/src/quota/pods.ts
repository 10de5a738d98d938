import { countsPods, isPodInScope, podUsage, unstatedUsage } from '@interlock/api/quantities';
import type { Evaluator } from './evaluator.js';

/** The usage of pods. */
export const podEvaluator: Evaluator = {
  operations: ['CREATE'],
  counts: countsPods,
  usage: podUsage,
  isInScope: isPodInScope,
  missing: unstatedUsage,
};
