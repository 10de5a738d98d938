import type { FieldProblem } from '@interlock/base';

/** A problem with a field of an object. */
export interface ObjectProblem extends FieldProblem {
  /** `Kind/name`. */
  object: string;
  /** The value of the field as text; empty if it is absent. */
  value: string;
}
