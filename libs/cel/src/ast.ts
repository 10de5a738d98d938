import type { ASTNode } from '@marcbachmann/cel-js';

export type Node = ASTNode;

/** Returns a node and all its descendants. */
export function nodesOf(node: Node): Node[] {
  return [node, ...childrenOf(node.args).flatMap(nodesOf)];
}

/** Returns the children of a node with these arguments. */
export function childrenOf(args: unknown): Node[] {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as Node] : [];
}
