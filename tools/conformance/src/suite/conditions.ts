import type { Body } from './body.js';

/** A condition in the status of an object. */
interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

/** Returns a condition of an object; undefined when it has none of the type. */
export function conditionOf({ status }: Body, type: string): Condition | undefined {
  const { conditions = [] } = (status ?? {}) as { conditions?: Condition[] };
  return conditions.find((one) => one.type === type);
}

/** Returns whether the condition `Ready` of an object is true. */
export function isReady(object: Body): boolean {
  return conditionOf(object, 'Ready')?.status === 'True';
}
