import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { TypeError } from '@marcbachmann/cel-js';
import type { Context, Evaluator, Macro, MacroCall } from './library-macros.js';

/** Decides a quantifier by the results of its items; it may stop reading them. */
type Decide = (results: Iterable<() => boolean>) => boolean;

/** CEL's quantifiers with two variables: index and item of a list, key and value of a map. */
export function registerComprehensions(env: Environment): void {
  const quantifiers: readonly (readonly [name: string, decide: Decide])[] = [
    ['all', (results) => !hasResult(results, false)],
    ['exists', (results) => hasResult(results, true)],
    ['exists_one', (results) => count(results) === 1],
    ['existsOne', (results) => count(results) === 1],
  ];
  for (const [name, decide] of quantifiers) {
    env.registerFunction(`list.${name}(ast, ast, ast): bool`, (call: MacroCall) => quantifier(call, decide));
  }
}

function quantifier({ args: [first, second, predicate], receiver }: MacroCall, decide: Decide): Macro {
  let bind: ((ctx: Context, entry: readonly [unknown, unknown], evaluator: Evaluator) => Context) | undefined;
  return {
    typeCheck(checker, _, ctx) {
      const names = [nameOf(first), nameOf(second)] as const;
      if (predicate === undefined) throw new TypeError('a predicate is missing', first);
      const range = checker.check(receiver, ctx);
      const dyn = checker.getType('dyn');
      const keyType = range.kind === 'list' ? checker.getType('int') : (range.keyType ?? dyn);
      const valueType = range.valueType ?? dyn;
      checker.check(predicate, ctx.forkWithVariable(names[0], keyType).forkWithVariable(names[1], valueType));
      bind = (outer, [key, value], evaluator) =>
        outer
          .forkWithVariable(names[0], keyType)
          .setIterValue(key, evaluator)
          .forkWithVariable(names[1], valueType)
          .setIterValue(value, evaluator);
      return checker.getType('bool');
    },
    evaluate(evaluator, _, ctx) {
      const entries = entriesOf(evaluator.run(receiver, ctx));
      const results = entries.map(
        (entry) => () =>
          predicate !== undefined &&
          bind !== undefined &&
          evaluator.run(predicate, bind(ctx, entry, evaluator)) === true,
      );
      return decide(results);
    },
  };
}

function nameOf(node: ASTNode | undefined): string {
  if (node?.op !== 'id') throw new TypeError('argument must be a simple name', node);
  return node.args;
}

function entriesOf(range: unknown): (readonly [unknown, unknown])[] {
  if (Array.isArray(range)) return range.map((item: unknown, index) => [BigInt(index), item] as const);
  return range instanceof Map ? [...(range as Map<unknown, unknown>)] : [];
}

/** An error counts only when no other item decides. */
function hasResult(results: Iterable<() => boolean>, wanted: boolean): boolean {
  let failure: { error: unknown } | undefined;
  for (const result of results) {
    try {
      if (result() === wanted) return true;
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure !== undefined) throw failure.error;
  return false;
}

function count(results: Iterable<() => boolean>): number {
  let found = 0;
  for (const result of results) if (result()) found += 1;
  return found;
}
