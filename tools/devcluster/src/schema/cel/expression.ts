import type { ASTNode, ParseResult } from '@marcbachmann/cel-js';
import { check } from './check/checker.js';
import type { Checked } from './check/checker.js';
import { expand } from './check/expand.js';
import { checkLiterals } from './check/literals.js';
import { describeProblems } from './check/problems.js';
import type { ExpressionProblem } from './check/problems.js';
import { formatType } from './check/type.js';
import type { CelEnvironment } from './environment.js';
import { describeRuntimeError, syntaxProblem } from './errors.js';
import { has } from './library-macros.js';
import { re2Matches } from './library-strings.js';

/** A checked CEL expression. */
export interface Expression {
  /** The name of its type (`bool`, `list(string)`, `dyn`). */
  readonly type: string;
  readonly ast: ASTNode;
  /** The evaluated expression, with the names of the complete functions. */
  readonly program: ASTNode;
  readonly checked: Checked;
  /** Returns its value for the given variables, or the text of the error that the API server would report. */
  evaluate(variables: Readonly<Record<string, unknown>>): { value: unknown } | { error: string };
}

/**
 * Parses and checks an expression.
 *
 * @returns the expression, or the API server's error text (`compilation failed: ERROR: <input>:1:5: undefined field 'x' …`).
 */
export function compileExpression(env: CelEnvironment, source: string): Expression | { error: string } {
  const parsed = parse(env, source);
  if ('error' in parsed) return parsed;
  const { expr, problems } = expand(parsed.ast);
  if (problems.length > 0) return failure(problems, source);
  const checked = check(expr, env.declarations);
  if ('problems' in checked) return failure(checked.problems, source);
  const literalProblems = checkLiterals(checked);
  if (literalProblems.length > 0) return failure(literalProblems, source);
  const { program } = parsed;
  const { valid, error } = program.check();
  return {
    type: formatType(checked.typeOf(expr)),
    ast: parsed.ast,
    program: program.ast,
    checked,
    evaluate: (variables) => (valid ? run(program, variables) : { error: `not supported: ${String(error)}` }),
  };
}

function failure(problems: readonly ExpressionProblem[], source: string): { error: string } {
  return { error: describeProblems(problems, source) };
}

/** Returns the original expression, and the program that evaluates it. */
function parse(
  { engine }: CelEnvironment,
  source: string,
): { ast: ASTNode; program: ParseResult } | { error: string } {
  try {
    const { ast } = engine.parse(source);
    return { ast, program: engine.parse(rename(source, ast)) };
  } catch (error) {
    return failure([syntaxProblem(error)], source);
  }
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

/** Replaces the `matches` of the engine with the RE2 version, and `has` with the complete version. */
function rename(source: string, ast: ASTNode): string {
  let renamed = source;
  const replace = (at: number, name: string): void => {
    renamed = renamed.slice(0, at) + name + renamed.slice(at + name.length);
  };
  walk(ast, (node) => {
    if (node.op === 'call' && node.args[0] === 'has') replace(node.start, has);
    if (node.op === 'rcall' && node.args[0] === 'matches') {
      replace(source.indexOf('matches', node.args[1].end), re2Matches);
    }
  });
  return renamed;
}

/** Calls `visit` for a node and then for its descendants. */
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

/** Returns whether an expression names a variable. */
export function refersTo(ast: ASTNode, name: string): boolean {
  let found = false;
  walk(ast, (node) => {
    found ||= node.op === 'id' && node.args === name;
  });
  return found;
}
