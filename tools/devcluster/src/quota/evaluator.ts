import type { ResourceList, ScopeRequirement } from '@interlock/api/quantities';
import type { KubeObject } from '../object.js';

/** The usage of quotas by the objects of a resource. Source: apiserver pkg/quota/v1, Evaluator. */
export interface Evaluator {
  /** The operations that change what an object uses. */
  operations: readonly ('CREATE' | 'UPDATE')[];
  /** Whether a quota of this name counts objects of the resource. */
  counts: (name: string) => boolean;
  /** Returns the usage of an object. */
  usage: (object: KubeObject, now: Date) => ResourceList;
  /** Whether an object is in a scope. */
  isInScope: (object: KubeObject, requirement: ScopeRequirement) => boolean;
  /**
   * Returns the fields that an object must have so that these names can be counted, such as `must specify cpu for:
   * app`.
   */
  missing?: (object: KubeObject, names: readonly string[]) => string | undefined;
}
