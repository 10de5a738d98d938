import { messageOf, type GateKeeper, type KubeObject } from '@interlock/api';
import { compileCondition } from '@interlock/cel';
import type { ObjectProblem } from '../object-problem.js';

type ExpressionSpec = NonNullable<GateKeeper['spec']['expression']>;

export interface CompiledExpression {
  cel: string;
  /** The resource as shown in messages: `Kind name`. */
  over: string;
  /**
   * Returns whether the expression is true for the object.
   *
   * @throws Error when it cannot be evaluated, or is not a boolean
   */
  evaluate(object: KubeObject): boolean;
  problems: Omit<ObjectProblem, 'object'>[];
}

/** Returns the expression, parsed and type-checked. If it has problems, it must not be used. */
export function compileExpression(spec: ExpressionSpec): CompiledExpression {
  const over = `${spec.over.kind} ${spec.over.name}`;
  try {
    const { evaluate } = compileCondition(spec.cel, { object: 'dyn' });
    return { cel: spec.cel, over, evaluate: (object) => evaluate({ object }), problems: [] };
  } catch (error) {
    const problem = {
      field: 'spec.expression.cel',
      value: spec.cel,
      message: `${JSON.stringify(spec.cel)} is not a CEL expression over object: ${messageOf(error)}; write one that is true or false, such as object.status.phase == 'Ready'`,
    };
    return { cel: spec.cel, over, evaluate: () => false, problems: [problem] };
  }
}
