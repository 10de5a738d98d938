import { Environment } from '@marcbachmann/cel-js';
import { childrenOf, nodesOf, type Node } from './ast.js';
import { Budget, StepLimitError } from './budget.js';
import { linearMatcher } from './matches.js';
import { meter } from './metering.js';
import { CelValues } from './value.js';

/**
 * A boolean CEL expression. Its cost is bounded, because neither its author nor the author of the values is trusted.
 */
export interface Condition {
  readonly ast: Node;
  /**
   * Returns whether the expression is true.
   *
   * @param values values of the variables, as JSON, or converted for several evaluations
   * @throws StepLimitError when it takes too many steps
   * @throws Error, in one line, when it cannot be evaluated, or is not a boolean
   */
  evaluate(values: Readonly<Record<string, unknown>> | CelValues): boolean;
}

/**
 * Replaces the engine's own `matches`, which backtracks. The name has the same length as the original, so that
 * positions in errors remain correct.
 */
const linearMatches = 're2Find';
const comprehensions = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
/** The cost of nested comprehensions multiplies; a list in an object has up to a few thousand entries. */
const maxNesting = 2;

/**
 * Parses and type-checks an expression (CEL specification). Its regular expressions have the syntax of RE2, as CEL
 * prescribes, and take linear time.
 *
 * @param variables CEL type of each variable, such as `dyn`, `map` or `map<string, bool>`
 * @throws Error describing the problem in one line
 */
export function compileCondition(source: string, variables: Readonly<Record<string, string>>): Condition {
  return inOneLine(() => {
    const budget = new Budget();
    const environment = environmentWith(variables, budget);
    const parsed = environment.parse(withLinearMatches(source, environment.parse(source).ast));
    const { valid, type, error } = parsed.check();
    if (!valid) throw error ?? new Error('its types do not match');
    if (type !== 'bool' && type !== 'dyn') throw new Error(`its type is ${type ?? 'unknown'}, not bool`);
    checkCost(parsed.ast);
    meter(parsed.ast, budget);
    return {
      ast: parsed.ast,
      evaluate: (values) =>
        inOneLine(() => {
          const known = values instanceof CelValues ? values : new CelValues(values);
          const { converted } = known;
          budget.begin(known.steps);
          const result = spending(known, budget, () => parsed(converted) as unknown);
          if (typeof result === 'boolean') return result;
          throw new Error('its value is not a boolean');
        }),
    };
  });
}

function spending<T>(values: CelValues, budget: Budget, evaluate: () => T): T {
  try {
    return evaluate();
  } finally {
    values.spend(budget.taken);
    /* The engine may have absorbed that error, or have thrown another one instead. */
    budget.end();
  }
}

function environmentWith(variables: Readonly<Record<string, string>>, budget: Budget): Environment {
  let environment = new Environment({
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 512, maxDepth: 32 },
  }).registerFunction(`string.${linearMatches}(string): bool`, linearMatcher(budget));
  for (const [name, type] of Object.entries(variables))
    environment = environment.registerVariable(name, type);
  return environment;
}

function withLinearMatches(source: string, ast: Node): string {
  const places = nodesOf(ast).flatMap((node) =>
    node.op === 'rcall' && node.args[0] === 'matches' ? [source.indexOf('matches', node.args[1].end)] : [],
  );
  return places
    .sort((a, b) => b - a)
    .reduce((text, at) => text.slice(0, at) + linearMatches + text.slice(at + linearMatches.length), source);
}

/**
 * Checks the cost of an expression.
 *
 * @throws Error when comprehensions are nested too deeply, or a slow function remains
 */
function checkCost(ast: Node): void {
  if (nodesOf(ast).some(({ op, args }) => (op === 'call' || op === 'rcall') && args[0] === 'matches'))
    throw new Error('write matches as text.matches(pattern)');
  if (nesting(ast) > maxNesting)
    throw new Error(`all, exists, map and filter are nested more than ${maxNesting} levels deep`);
}

function nesting(node: Node): number {
  const [name] = node.op === 'rcall' ? node.args : [];
  const inner = Math.max(0, ...childrenOf(node.args).map(nesting));
  return inner + (name !== undefined && comprehensions.has(name) ? 1 : 0);
}

/**
 * Returns the result of `action`. Errors have only the first line of their message: the library appends an excerpt of
 * the source.
 */
function inOneLine<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof StepLimitError) throw error;
    const { message = String(error) } = error as { message?: string };
    const [line = ''] = message.split('\n');
    throw new Error(line.replaceAll(linearMatches, 'matches'), { cause: error });
  }
}
