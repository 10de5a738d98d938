import type { ASTNode } from '@marcbachmann/cel-js';

/** Functions that make a value of another type. */
const conversions = [
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
];

/**
 * Returns whether a node is a constant that costs nothing when it is evaluated: literals, lists and maps of them, and
 * conversions of literals, which cel-go makes once, before an expression runs (interpreter/decorators.go).
 */
export function isConstant(node: ASTNode): boolean {
  switch (node.op) {
    case 'value':
      return true;
    case '-_':
      return node.args.op === 'value';
    case 'list':
      return node.args.every(isConstant);
    case 'map':
      return node.args.every(([key, value]) => isConstant(key) && isConstant(value));
    case 'call': {
      const [name, [only, ...more]] = node.args;
      return conversions.includes(name) && only !== undefined && more.length === 0 && isConstant(only);
    }
    default:
      return false;
  }
}

/** Returns whether a node tests for a value in a constant list, which becomes a set without an additional cost. */
export function isSetMembership(node: ASTNode): boolean {
  return node.op === 'in' && node.args[1].op === 'list' && isConstant(node.args[1]);
}
