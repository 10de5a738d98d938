import type { ASTNode } from '@marcbachmann/cel-js';
import { isConstant } from './constant-nodes.js';

/** A loop of an expression: what each round costs beyond its body, and what its end costs. */
export interface Loop {
  /** The parts that are evaluated for each element. */
  readonly parts: readonly ASTNode[];
  /** Returns the cost of a round, given one of its parts and the value of that part. */
  costOfPart(part: ASTNode, value: unknown): number;
  readonly end: number;
}

/** Returns the cost of reading the accumulator, making a list of one element (unless it is constant) and appending it. */
const append = (body: ASTNode): number => (isConstant(body) ? 1 + 1 : 1 + 10 + 1);

/** The costs of the code that cel-go generates for the macros, by the value of the body. */
const costs: Readonly<Record<string, (value: unknown, body: ASTNode) => number>> = {
  all: () => 3,
  exists: () => 4,
  exists_one: (value) => (value === true ? 2 : 1),
  existsOne: (value) => (value === true ? 2 : 1),
  filter: (value) => (value === true ? 1 + 1 + 10 + 1 : 1),
  map: (_, body) => append(body),
  sortBy: (_, body) => append(body),
  transformList: (_, body) => append(body),
  transformMap: () => 3,
  transformMapEntry: () => 2,
};

/** Returns the number of variables before the body. */
const variables = (name: string, count: number): number =>
  name.startsWith('transform') || (count === 3 && /^(?:all|exists)/.test(name)) ? 2 : 1;

/** Returns the loop that a node is; undefined for any other node. */
export function loopOf(node: ASTNode): Loop | undefined {
  if (node.op !== 'rcall') return undefined;
  const [name, , args] = node.args;
  const cost = Object.hasOwn(costs, name) ? costs[name] : undefined;
  const parts = args.slice(variables(name, args.length));
  const body = parts.at(-1);
  if (cost === undefined || body === undefined || parts.length > 2) return undefined;
  return {
    parts,
    end: name === 'exists_one' || name === 'existsOne' ? 2 : 1,
    costOfPart: (part, value) => (part === body ? cost(value, body) : value === true ? 0 : 1),
  };
}
