import type { ASTNode } from '@marcbachmann/cel-js';

/**
 * Returns the offset that cel-go reports for a node: its operator, the parenthesis of a call, or else its beginning.
 */
export function positionOf(node: ASTNode): number {
  switch (node.op) {
    case 'call':
      return node.input.indexOf('(', node.start);
    case 'rcall':
      return node.input.indexOf('(', node.input.indexOf('.', node.args[1].end));
    case '.':
    case '.?':
      return node.input.lastIndexOf('.', node.pos - 1);
    case '[]':
    case '[?]':
      return node.input.indexOf('[', node.args[0].end);
    case '?:':
      return afterOperand(node.args[0]);
    case 'value':
    case 'id':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
      return node.start;
    default:
      return afterOperand(node.args[0]);
  }
}

/** Returns the position of the operator after an operand, which may be in parentheses. */
function afterOperand(operand: ASTNode): number {
  const rest = operand.input.slice(operand.end);
  return operand.end + Math.max(0, rest.search(/[^\s)]/));
}
