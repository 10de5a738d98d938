import { Environment } from '@marcbachmann/cel-js';
import { childrenOf, nodesOf, type Node } from './ast.js';
import { Budget } from './budget.js';
import { linearMatcher } from './matches.js';
import { meter } from './metering.js';
import { celValue } from './value.js';

/** A CEL expression that is true or false. It is bounded, as neither its author nor that of the values is trusted. */
export interface Condition {
  readonly ast: Node;
  /**
   * @param values of the variables, as JSON.
   * @throws Error, in one line, when it cannot be evaluated, takes too many steps, or is neither true nor false.
   */
  evaluate(values: Readonly<Record<string, unknown>>): boolean;
}

/** The engine's own `matches` backtracks. The name is as long as the one it replaces, so that places in errors stay right. */
const linearMatches = 're2Find';
const comprehensions = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
/** Comprehensions inside of one another multiply; an object has at most some thousands of entries in a list. */
const maxNesting = 2;

/**
 * Parses and type-checks an expression (CEL specification). Its regular expressions are those of RE2, which CEL prescribes,
 * and take linear time.
 * @param variables CEL type of each, such as `dyn`, `map` or `map<string, bool>`.
 * @throws Error that says in one line what is wrong with it.
 */
export function compileCondition(source: string, variables: Readonly<Record<string, string>>): Condition {
  return inOneLine(() => {
    const budget = new Budget();
    const environment = environmentWith(variables, budget);
    const parsed = environment.parse(withLinearMatches(source, environment.parse(source).ast));
    const { valid, type, error } = parsed.check();
    if (!valid) throw error ?? new Error('its types do not fit');
    if (type !== 'bool' && type !== 'dyn') throw new Error(`it is ${type ?? 'no value'}, not true or false`);
    checkCost(parsed.ast);
    meter(parsed.ast, budget);
    return {
      ast: parsed.ast,
      evaluate: (values) =>
        inOneLine(() => {
          const entries = Object.entries(values).map(([name, value]) => [name, celValue(value)]);
          budget.begin();
          const result: unknown = parsed(Object.fromEntries(entries));
          budget.end();
          if (typeof result === 'boolean') return result;
          throw new Error('it is not true or false');
        }),
    };
  });
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

/** @throws Error when comprehensions are nested too deep, or a slow function is left. */
function checkCost(ast: Node): void {
  if (nodesOf(ast).some(({ op, args }) => (op === 'call' || op === 'rcall') && args[0] === 'matches'))
    throw new Error('write matches as text.matches(pattern)');
  if (nesting(ast) > maxNesting)
    throw new Error(`all, exists, map and filter are nested more than ${maxNesting} deep`);
}

function nesting(node: Node): number {
  const [name] = node.op === 'rcall' ? node.args : [];
  const inner = Math.max(0, ...childrenOf(node.args).map(nesting));
  return inner + (name !== undefined && comprehensions.has(name) ? 1 : 0);
}

/** The library appends an excerpt of the source to what it says. */
function inOneLine<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    const { message = String(error) } = error as { message?: string };
    const [line = ''] = message.split('\n');
    throw new Error(line.replaceAll(linearMatches, 'matches'), { cause: error });
  }
}
