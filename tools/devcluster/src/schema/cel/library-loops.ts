import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import type { TypeDeclaration } from '@marcbachmann/cel-js';
import { compareValues } from './compare.js';
import type { Checker, Context, Evaluator, Macro, MacroCall } from './library-macros.js';

type Entry = readonly [key: unknown, value: unknown];

/** The keys and values that a loop runs over: the indices and items of a list, or the entries of a map. */
class Range {
  #types: readonly [TypeDeclaration, TypeDeclaration] | undefined;

  constructor(
    readonly receiver: ASTNode,
    readonly variables: readonly [ASTNode | undefined, ASTNode | undefined],
  ) {}

  /** Returns the scope of the body. */
  declare(checker: Checker, ctx: Context): Context {
    const type = checker.check(this.receiver, ctx);
    const dyn = checker.getType('dyn');
    const key = type.kind === 'list' ? checker.getType('int') : (type.keyType ?? dyn);
    this.#types = [key, type.valueType ?? dyn];
    return this.#scope(ctx);
  }

  /** Returns the scope of the body for each entry. */
  *scopes(evaluator: Evaluator, ctx: Context): Iterable<readonly [Context, Entry]> {
    const [keyType] = this.#types ?? [];
    for (const [key, value] of entriesOf(evaluator.run(this.receiver, ctx))) {
      const entry = [keyType === undefined ? key : keyOf(key, keyType), value] as const;
      yield [this.#scope(ctx, entry, evaluator), entry];
    }
  }

  #scope(ctx: Context, entry?: Entry, evaluator?: Evaluator): Context {
    let scope = ctx;
    for (const index of [0, 1] as const) {
      const variable = this.variables[index];
      const type = this.#types?.[index];
      if (variable?.op !== 'id' || type === undefined) throw new Error('the variables of a loop are names');
      const inner = scope.forkWithVariable(variable.args, type);
      scope =
        entry === undefined || evaluator === undefined ? inner : inner.setIterValue(entry[index], evaluator);
    }
    return scope;
  }
}

function entriesOf(value: unknown): readonly Entry[] {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [BigInt(index), item] as const);
  if (value instanceof Map) return [...value];
  return Object.entries(value ?? {});
}

/** Returns a key of a map literal, which the engine keeps as text, as a value of its type. */
function keyOf(key: unknown, type: TypeDeclaration): unknown {
  if (typeof key !== 'string') return key;
  switch (type.type) {
    case 'int':
      return BigInt(key);
    case 'bool':
      return key === 'true';
    default:
      return key;
  }
}

/** Registers the macros with two variables, for the keys and the values of lists and maps, and `sortBy`. */
export function registerLoops(env: Environment): void {
  env
    .registerFunction('list.all(ast, ast, ast): bool', (call: MacroCall) => quantifier(call, false))
    .registerFunction('list.exists(ast, ast, ast): bool', (call: MacroCall) => quantifier(call, true))
    .registerFunction('list.sortBy(ast, ast): list<dyn>', sortBy);
  for (const name of ['exists_one', 'existsOne']) {
    env.registerFunction(`list.${name}(ast, ast, ast): bool`, existsOne);
  }
  for (const variables of ['ast, ast, ast', 'ast, ast, ast, ast']) {
    env
      .registerFunction(`list.transformList(${variables}): list<dyn>`, transformList)
      .registerFunction(`list.transformMap(${variables}): map<dyn, dyn>`, (call: MacroCall) =>
        transformMap(call, false),
      )
      .registerFunction(`list.transformMapEntry(${variables}): map<dyn, dyn>`, (call: MacroCall) =>
        transformMap(call, true),
      );
  }
}

/** @param decisive the value that ends the loop; an error is reported only if no element has it. */
function quantifier(call: MacroCall, decisive: boolean): Macro {
  const { range, body } = partsOf(call);
  return {
    typeCheck: (checker, _, ctx) => checkBody(checker, range, body, ctx, 'bool'),
    evaluate(evaluator, _, ctx) {
      let failure: unknown;
      for (const [scope] of range.scopes(evaluator, ctx)) {
        const result = evaluator.tryEval(body, scope);
        if (result === decisive) return decisive;
        if (result instanceof Error) failure ??= result;
      }
      if (failure !== undefined) throw failure;
      return !decisive;
    },
  };
}

function existsOne(call: MacroCall): Macro {
  const { range, body } = partsOf(call);
  return {
    typeCheck: (checker, _, ctx) => checkBody(checker, range, body, ctx, 'bool'),
    evaluate(evaluator, _, ctx) {
      const found = [...range.scopes(evaluator, ctx)].filter(
        ([scope]) => evaluator.run(body, scope) === true,
      );
      return found.length === 1;
    },
  };
}

function transformList(call: MacroCall): Macro {
  const { range, body, filter } = partsOf(call);
  return {
    typeCheck(checker, _, ctx) {
      const scope = range.declare(checker, ctx);
      if (filter !== undefined) checker.check(filter, scope);
      return checker.registry.getListType(checker.check(body, scope));
    },
    evaluate: (evaluator, _, ctx) =>
      selected(range, filter, evaluator, ctx).map(([scope]) => evaluator.run(body, scope)),
  };
}

/** @param isEntry whether the body returns a map with the new entries, or the value for the same key. */
function transformMap(call: MacroCall, isEntry: boolean): Macro {
  const { range, body, filter } = partsOf(call);
  return {
    typeCheck(checker, _, ctx) {
      const scope = range.declare(checker, ctx);
      if (filter !== undefined) checker.check(filter, scope);
      const type = checker.check(body, scope);
      const key = call.args[0];
      if (isEntry || key === undefined) return type;
      return checker.registry.getMapType(checker.check(key, scope), type);
    },
    evaluate(evaluator, _, ctx) {
      const made = new Map<unknown, unknown>();
      for (const [scope, [key]] of selected(range, filter, evaluator, ctx)) {
        const value = evaluator.run(body, scope);
        for (const [newKey, newValue] of isEntry ? entriesOf(value) : [[key, value] as const]) {
          if (made.has(newKey)) throw new Error(`insert failed: key ${String(newKey)} already exists`);
          made.set(newKey, newValue);
        }
      }
      return made;
    },
  };
}

function sortBy({ args: [variable, body], receiver }: MacroCall): Macro {
  let type: TypeDeclaration | undefined;
  return {
    typeCheck(checker, _, ctx) {
      const list = checker.check(receiver, ctx);
      type = list.valueType ?? checker.getType('dyn');
      if (variable?.op !== 'id' || body === undefined)
        throw new Error('sortBy takes a name and an expression');
      checker.check(body, ctx.forkWithVariable(variable.args, type));
      return list;
    },
    evaluate(evaluator, _, ctx) {
      if (variable?.op !== 'id' || body === undefined || type === undefined) return [];
      const inner = ctx.forkWithVariable(variable.args, type);
      const items = entriesOf(evaluator.run(receiver, ctx)).map(([, item]) => ({
        item,
        key: evaluator.run(body, inner.setIterValue(item, evaluator)),
      }));
      return items.sort((a, b) => compareValues(a.key, b.key)).map(({ item }) => item);
    },
  };
}

/** Returns the variables, the condition for an element, and the expression for it. */
function partsOf({ args, receiver }: MacroCall): {
  range: Range;
  body: ASTNode;
  filter: ASTNode | undefined;
} {
  const body = args.at(-1);
  if (body === undefined) throw new Error('a loop has a body');
  return {
    range: new Range(receiver, [args[0], args[1]]),
    body,
    filter: args.length > 3 ? args[2] : undefined,
  };
}

function checkBody(
  checker: Checker,
  range: Range,
  body: ASTNode,
  ctx: Context,
  type: string,
): TypeDeclaration {
  checker.check(body, range.declare(checker, ctx));
  return checker.getType(type);
}

function selected(
  range: Range,
  filter: ASTNode | undefined,
  evaluator: Evaluator,
  ctx: Context,
): (readonly [Context, Entry])[] {
  return [...range.scopes(evaluator, ctx)].filter(
    ([scope]) => filter === undefined || evaluator.run(filter, scope) === true,
  );
}
