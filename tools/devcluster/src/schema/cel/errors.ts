import type { ASTNode } from '@marcbachmann/cel-js';
import { EvaluationError, ParseError } from '@marcbachmann/cel-js';
import { positionOf } from './check/positions.js';
import type { ExpressionProblem } from './check/problems.js';

/**
 * Returns the error of an expression that cannot be parsed, with the text of the engine. Only the first error is
 * reported.
 */
export function syntaxProblem(error: unknown): ExpressionProblem {
  if (!(error instanceof ParseError)) return { message: String(error), at: 0 };
  const { code, summary, node } = error;
  if (code === 'invalid_macro_argument' && isNode(node)) {
    const isList = /^(?:map|filter)\(/.test(summary);
    const message = isList ? 'argument is not an identifier' : 'argument must be a simple name';
    return { message, at: positionOf(node) };
  }
  return {
    message: `Syntax error: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
    at: node?.pos ?? 0,
  };
}

/** Returns the text of cel-go for an error at run time. */
export function describeRuntimeError(error: unknown): string {
  if (!(error instanceof EvaluationError)) return error instanceof Error ? error.message : messageOf(error);
  switch (error.code) {
    case 'no_such_key':
      return `no such key: ${error.summary.slice(error.summary.indexOf(': ') + 2)}`;
    case 'index_out_of_bounds':
      return `index out of bounds: ${/index (-?\d+)/.exec(error.summary)?.[1] ?? ''}`;
    case 'numeric_overflow':
      return 'integer overflow';
    case 'modulo_by_zero':
      return 'modulus by zero';
    case 'no_such_overload':
    case 'no_matching_overload':
    case 'field_type_mismatch':
    case 'list_item_type_mismatch':
      return 'no such overload';
    default:
      return error.summary;
  }
}

function isNode(node: object | undefined): node is ASTNode {
  return node !== undefined && 'op' in node && 'args' in node;
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}
