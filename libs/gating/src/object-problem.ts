import type { FieldProblem } from '@interlock/base';

/** What is wrong with a field of an object. */
export interface ObjectProblem extends FieldProblem {
  /** `Kind/name`. */
  object: string;
  /** The value there, as text; empty when it is absent. */
  value: string;
}
