import { isTyped, messageOf, type GateKeeper, type KubeObject } from '@interlock/api';
import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import type { Problem } from '../types.js';

type ExpressionSpec = NonNullable<GateKeeper['spec']['expression']>;

export interface CompiledExpression {
  cel: string;
  /** The resource, for people: `Kind name`. */
  over: string;
  /**
   * @returns whether the expression is true over the object.
   * @throws Error when it cannot be evaluated, or is not a boolean.
   */
  evaluate(object: KubeObject): boolean;
  problems: Omit<Problem, 'object'>[];
}

const comprehensions = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
/** Comprehensions inside of one another multiply; an object has at most some thousands of entries in a list. */
const maxNesting = 2;

const environment = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 512, maxDepth: 32 },
}).registerVariable('object', 'dyn');

/** @returns the expression, parsed and type-checked; with problems, it must not be used. */
export function compileExpression(spec: ExpressionSpec): CompiledExpression {
  const over = `${spec.over.kind} ${spec.over.name}`;
  try {
    const parsed = environment.parse(spec.cel);
    const { valid, type, error } = parsed.check();
    if (!valid) throw error ?? new Error('its types do not fit');
    if (type !== 'bool' && type !== 'dyn') throw new Error(`it is ${type ?? 'no value'}, not true or false`);
    if (nesting(parsed.ast) > maxNesting)
      throw new Error(`all, exists, map and filter are nested more than ${maxNesting} deep`);
    const evaluate = (object: KubeObject) => {
      const result: unknown = parsed({ object: withIntegers(object) });
      if (typeof result !== 'boolean') throw new Error('it is not true or false');
      return result;
    };
    return { cel: spec.cel, over, evaluate, problems: [] };
  } catch (error) {
    const problem = {
      field: 'spec.expression.cel',
      value: spec.cel,
      message: `${JSON.stringify(spec.cel)} is no CEL expression over object: ${firstLine(error)}; write one that is true or false, such as object.status.phase == 'Ready'`,
    };
    return { cel: spec.cel, over, evaluate: () => false, problems: [problem] };
  }
}

/** @returns what went wrong, without the excerpt of the source that the library appends. */
export function firstLine(error: unknown): string {
  const text = isTyped(error) ? messageOf(error) : (error as { message?: string }).message;
  return text?.split('\n')[0] ?? String(error);
}

/** @returns how deep comprehensions are nested in one another. */
function nesting(node: ASTNode): number {
  const [name] = node.op === 'rcall' ? node.args : [];
  const inner = Math.max(0, ...children(node.args).map(nesting));
  return inner + (name !== undefined && comprehensions.has(name) ? 1 : 0);
}

function children(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(children);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}

/** Whole numbers of JSON are ints in CEL, as in the API server. */
function withIntegers(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withIntegers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withIntegers(member)]));
}
