import { countsPods, isPodInScope, podUsage, unstatedUsage } from '@interlock/api/quantities';
import type { Evaluator } from './evaluator.js';

/** How pods count. */
export const podEvaluator: Evaluator = {
  operations: ['CREATE'],
  counts: countsPods,
  usage: podUsage,
  isInScope: isPodInScope,
  missing: unstatedUsage,
};
