import { compileCondition, type Condition } from '@interlock/cel';

const variables = { event: 'map', subject: 'map', response: 'map' };

/**
 * Returns a CEL expression over `event`, `subject` and `response`.
 * @throws Error with a message of one line.
 */
export function compileExpression(source: string): Condition {
  return compileCondition(source, variables);
}
