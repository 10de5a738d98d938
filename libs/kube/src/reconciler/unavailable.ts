import type { KubeObject } from '@interlock/api';
import { markReconciling, markStalled } from '../runtime/conditions.js';
import type { CommonStatus, StatusOf, Unavailable } from './types.js';

/** Returns the status of an object that cannot be decided about: all else stays known. Pure. */
export function unavailableStatus<T extends KubeObject>(
  object: T,
  why: Unavailable,
  now: number,
): StatusOf<T> {
  const { status } = object as { status?: CommonStatus };
  const { generation } = object.metadata;
  const mark = why.passes ? markReconciling : markStalled;
  return {
    ...status,
    observedGeneration: generation,
    conditions: mark(status?.conditions, why, generation, now),
  } as StatusOf<T>;
}
