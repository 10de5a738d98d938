import type {
  ASTNode,
  Environment,
  OverlayContext,
  RootContext,
  TypeDeclaration,
} from '@marcbachmann/cel-js';
import { Optional, TypeError } from '@marcbachmann/cel-js';

/** The name of the complete version of `has`; it has the same length, so that positions in errors are correct. */
export const has = 'hAs';

/** The engine's contract with macros (its README, "Custom macros"). */
export type Context = RootContext | OverlayContext;
export interface Checker {
  check(node: ASTNode, ctx: Context): TypeDeclaration;
  getType(name: string): TypeDeclaration;
  registry: {
    getOptionalType(type: TypeDeclaration): TypeDeclaration;
    getListType(type: TypeDeclaration): TypeDeclaration;
    getMapType(key: TypeDeclaration, value: TypeDeclaration): TypeDeclaration;
  };
}
export interface Evaluator {
  run(node: ASTNode, ctx: Context): unknown;
  /** Returns the error instead of throwing it. */
  tryEval(node: ASTNode, ctx: Context): unknown;
}
export interface MacroCall {
  args: ASTNode[];
  receiver: ASTNode;
}
export interface Macro {
  typeCheck(checker: Checker, macro: unknown, ctx: Context): TypeDeclaration;
  evaluate(evaluator: Evaluator, macro: unknown, ctx: Context): unknown;
}

/**
 * Registers `has` of any field selection (the engine's own takes only chains of names, and does not check that the
 * field exists), and `optMap` and `optFlatMap` of optional values.
 */
export function registerMacros(env: Environment): void {
  env
    .registerFunction(`${has}(ast): bool`, hasMacro)
    .registerFunction('optional.optMap(ast, ast): optional<dyn>', (call: MacroCall) =>
      optMapMacro(call, false),
    )
    .registerFunction('optional.optFlatMap(ast, ast): optional<dyn>', (call: MacroCall) =>
      optMapMacro(call, true),
    );
}

function hasMacro({ args: [selection] }: MacroCall): Macro {
  return {
    typeCheck(checker, _, ctx) {
      if (selection?.op !== '.') throw new TypeError('invalid argument to has() macro', selection);
      checker.check(selection, ctx);
      return checker.getType('bool');
    },
    evaluate(evaluator, _, ctx) {
      return selection?.op === '.' && hasField(evaluator.run(selection.args[0], ctx), selection.args[1]);
    },
  };
}

function hasField(value: unknown, field: string): boolean {
  if (value instanceof Map) return value.get(field) !== undefined;
  if (value instanceof Optional) return value.hasValue() && hasField(value.value(), field);
  return typeof value === 'object' && value !== null && Object.hasOwn(value, field);
}

function optMapMacro({ args: [name, body], receiver }: MacroCall, flat: boolean): Macro {
  let type: TypeDeclaration | undefined;
  return {
    typeCheck(checker, _, ctx) {
      type = checker.check(receiver, ctx).valueType;
      if (name?.op !== 'id' || body === undefined)
        throw new TypeError('argument must be a simple name', name);
      const result = checker.check(body, ctx.forkWithVariable(name.args, type ?? checker.getType('dyn')));
      return flat ? result : checker.registry.getOptionalType(result);
    },
    evaluate(evaluator, _, ctx) {
      const optional = evaluator.run(receiver, ctx);
      const hasValue = optional instanceof Optional && optional.hasValue();
      if (!hasValue || name?.op !== 'id' || body === undefined || type === undefined) return Optional.none();
      const bound = ctx.forkWithVariable(name.args, type).setIterValue(optional.value(), evaluator);
      const result = evaluator.run(body, bound);
      return flat ? result : Optional.of(result);
    },
  };
}
