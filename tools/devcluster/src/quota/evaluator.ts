import type { ResourceList, ScopeRequirement } from '@interlock/api/quantities';
import type { KubeObject } from '../object.js';

/** How the objects of one resource count against quotas. Source: apiserver pkg/quota/v1, Evaluator. */
export interface Evaluator {
  /** The operations that change what an object uses. */
  operations: readonly ('CREATE' | 'UPDATE')[];
  /** Whether a quota of this name counts objects of the resource. */
  counts: (name: string) => boolean;
  /** What an object uses. */
  usage: (object: KubeObject, now: Date) => ResourceList;
  /** Whether an object is in a scope. */
  isInScope: (object: KubeObject, requirement: ScopeRequirement) => boolean;
  /** What an object must state so that these names can be counted, as `must specify cpu for: app`. */
  missing?: (object: KubeObject, names: readonly string[]) => string | undefined;
}
