import type { ASTNode, Environment, ParseResult } from '@marcbachmann/cel-js';
import { describeCompileError, describeRuntimeError } from './errors.js';
import { HAS } from './library-macros.js';
import { RE2_MATCHES } from './library-strings.js';

/** A checked CEL expression. */
export interface Expression {
  /** The name of its type (`bool`, `list<string>`, `dyn`). */
  readonly type: string;
  readonly ast: ASTNode;
  /** Its value for the given variables, or the text of the error that the API server would report. */
  evaluate(variables: Readonly<Record<string, unknown>>): { value: unknown } | { error: string };
}

/**
 * Parses and checks an expression.
 *
 * @returns the expression, or the API server's error text (`ERROR: <input>:1:5: undefined field 'x' …`).
 */
export function compileExpression(env: Environment, source: string): Expression | { error: string } {
  try {
    const program = env.parse(rename(source, env.parse(source).ast));
    const checked = program.check();
    if (!checked.valid || checked.type === undefined) return { error: describe(checked.error, source, env) };
    return { type: checked.type, ast: program.ast, evaluate: (variables) => run(program, variables) };
  } catch (error) {
    return { error: describe(error, source, env) };
  }
}

function describe(error: unknown, source: string, env: Environment): string {
  return describeCompileError(error, source, new Set(env.getDefinitions().functions.map(({ name }) => name)));
}

function run(
  program: ParseResult,
  variables: Readonly<Record<string, unknown>>,
): { value: unknown } | { error: string } {
  try {
    const value: unknown = program({ ...variables });
    return { value };
  } catch (error) {
    return { error: describeRuntimeError(error) };
  }
}

/** Calls the RE2 version of `matches` and the complete version of `has` in place of the engine's own. */
function rename(source: string, ast: ASTNode): string {
  let renamed = source;
  const replace = (at: number, name: string): void => {
    renamed = renamed.slice(0, at) + name + renamed.slice(at + name.length);
  };
  walk(ast, (node) => {
    if (node.op === 'call' && node.args[0] === 'has') replace(node.start, HAS);
    if (node.op === 'rcall' && node.args[0] === 'matches') {
      replace(source.indexOf('matches', node.args[1].end), RE2_MATCHES);
    }
  });
  return renamed;
}

/** Calls `visit` for a node and every node below it, a node before those below. */
export function walk(node: ASTNode, visit: (node: ASTNode) => void): void {
  visit(node);
  for (const below of operands(node.args)) walk(below, visit);
}

function operands(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(operands);
  return isNode(args) ? [args] : [];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

/** Whether an expression names a variable. */
export function refersTo(ast: ASTNode, name: string): boolean {
  let found = false;
  walk(ast, (node) => {
    found ||= node.op === 'id' && node.args === name;
  });
  return found;
}
