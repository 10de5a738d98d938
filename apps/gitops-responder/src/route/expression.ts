import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { isFields, type Fields } from '../facts.js';

/** A CEL expression over `event`, `subject` and `response`. */
export interface Expression {
  /**
   * @returns whether it is true.
   * @throws Error when it cannot be evaluated, or is not a boolean.
   */
  evaluate(variables: { event: Fields; subject: Fields; response: Fields }): boolean;
}

/* The engine's own `matches` is a backtracking one: an attacker who names a subject could keep it busy for
   hours. */
/* As long as the name it replaces, so that places in errors stay right. */
const linearMatches = 're2Find';
const comprehensions = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
const maxNesting = 2;
const maxText = 4096;

const environment = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 512, maxDepth: 32 },
})
  .registerVariable('event', 'map')
  .registerVariable('subject', 'map')
  .registerVariable('response', 'map')
  .registerFunction(`string.${linearMatches}(string): bool`, (text: string, pattern: string) =>
    RE2JS.compile(pattern).matcher(text).find(),
  );

/**
 * Parses and type-checks an expression. Regular expressions are those of RE2, which CEL prescribes.
 * @throws Error that says what is wrong with it, in one line.
 */
export function compileExpression(source: string): Expression {
  try {
    const parsed = environment.parse(withLinearMatches(source, environment.parse(source).ast));
    const { valid, type, error } = parsed.check();
    if (!valid) throw error ?? new Error('its types do not fit');
    if (type !== 'bool' && type !== 'dyn') throw new Error(`it is ${type ?? 'no value'}, not true or false`);
    checkCalls(parsed.ast);
    return {
      evaluate: ({ event, subject, response }) => {
        const result: unknown = inOneLine(() =>
          parsed({ event: celValue(event), subject: celValue(subject), response: celValue(response) }),
        );
        if (typeof result === 'boolean') return result;
        throw new Error('it is not true or false');
      },
    };
  } catch (error) {
    throw new Error(firstLine(error), { cause: error });
  }
}

function inOneLine<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Error(firstLine(error), { cause: error });
  }
}

/** The library appends an excerpt of the source. */
function firstLine(error: unknown): string {
  const { message = String(error) } = error as { message?: string };
  return (message.split('\n')[0] ?? '').replaceAll(linearMatches, 'matches');
}

function withLinearMatches(source: string, ast: ASTNode): string {
  const places = nodesOf(ast).flatMap((node) =>
    node.op === 'rcall' && node.args[0] === 'matches' ? [source.indexOf('matches', node.args[1].end)] : [],
  );
  return places
    .sort((a, b) => b - a)
    .reduce((text, at) => text.slice(0, at) + linearMatches + text.slice(at + linearMatches.length), source);
}

/** @throws Error when comprehensions are nested too deep, or a slow function is left. */
function checkCalls(ast: ASTNode): void {
  if (nodesOf(ast).some(({ op, args }) => (op === 'call' || op === 'rcall') && args[0] === 'matches'))
    throw new Error('write matches as text.matches(pattern)');
  if (nesting(ast) > maxNesting)
    throw new Error(`all, exists, map and filter are nested more than ${maxNesting} deep`);
}

function nesting(node: ASTNode): number {
  const [name] = node.op === 'rcall' ? node.args : [];
  const inner = Math.max(0, ...childrenOf(node.args).map(nesting));
  return inner + (name !== undefined && comprehensions.has(name) ? 1 : 0);
}

function nodesOf(node: ASTNode): ASTNode[] {
  return [node, ...childrenOf(node.args).flatMap(nodesOf)];
}

function childrenOf(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}

/** Whole numbers are ints in CEL; long texts are cut, so that an expression costs little whoever wrote them. */
function celValue(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, maxText);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, celValue(member)]));
}
