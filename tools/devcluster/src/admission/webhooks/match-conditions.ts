import { dynamicEnvironment } from '../../schema/cel/environment.js';
import type { CelEnvironment } from '../../schema/cel/environment.js';
import { compileExpression, type Expression } from '../../schema/cel/expression.js';
import { dynamicValue } from '../../schema/cel/values.js';
import type { JsonObject } from '../../schema/types.js';

/** One condition of `matchConditions`. */
export interface MatchCondition {
  expression: string;
  compiled: Expression | { error: string };
}

let environment: CelEnvironment | undefined;

/** Returns a condition over `object`, `oldObject` and `request`, or the text of its error. */
export function compileMatchCondition(expression: string): Expression | { error: string } {
  environment ??= dynamicEnvironment(['object', 'oldObject', 'request']);
  const compiled = compileExpression(environment, expression);
  if ('error' in compiled) return { error: `compilation failed: ${compiled.error}` };
  return ['bool', 'dyn'].includes(compiled.type) ? compiled : { error: 'must evaluate to bool' };
}

/** Returns whether all conditions are true for an AdmissionRequest; see {@link evaluateConditions}. */
export function evaluateMatchConditions(
  conditions: readonly MatchCondition[],
  request: JsonObject,
): boolean | { error: string } {
  if (conditions.length === 0) return true;
  const { object = null, oldObject = null, ...rest } = request;
  const variables = {
    object: dynamicValue(object),
    oldObject: dynamicValue(oldObject),
    request: dynamicValue({ subResource: '', requestSubResource: '', ...rest }),
  };
  return evaluateConditions(
    conditions.map(({ expression, compiled }) => () => {
      const result = 'error' in compiled ? compiled : compiled.evaluate(variables);
      return 'error' in result
        ? { error: `expression '${expression}' resulted in error: ${result.error}` }
        : result;
    }),
  );
}

/**
 * Returns whether all conditions are true: a false condition takes precedence over errors, and otherwise an error of
 * any condition is an error of all. Source: apiserver plugin/webhook/matchconditions.
 */
export function evaluateConditions(
  conditions: readonly (() => { value: unknown } | { error: string })[],
): boolean | { error: string } {
  const errors: string[] = [];
  for (const evaluate of conditions) {
    const result = evaluate();
    if ('error' in result) errors.push(result.error);
    else if (result.value !== true) return false;
  }
  if (errors.length === 0) return true;
  return { error: errors.length === 1 ? errors.join() : `[${errors.join(', ')}]` };
}
