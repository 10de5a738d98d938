import type { KubeObject } from '@interlock/api';
import type { Problem } from '@interlock/base';
import { markProblem } from '../runtime/conditions.js';
import type { CommonStatus, StatusOf } from './types.js';

/**
 * Returns the status of an object with a problem: everything except the conditions is kept. Pure; `now` in milliseconds
 * since the epoch.
 */
export function problemStatus<T extends KubeObject>(object: T, problem: Problem, now: number): StatusOf<T> {
  const { status } = object as { status?: CommonStatus };
  const { generation } = object.metadata;
  return {
    ...status,
    observedGeneration: generation,
    conditions: markProblem(status?.conditions, problem, generation, now),
  } as StatusOf<T>;
}
