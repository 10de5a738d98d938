import type { Declarations } from './declarations.js';
import type { ExpressionProblem } from './problems.js';
import type { Overload } from './signature.js';
import { Substitutions, moreGeneral } from './unify.js';
import {
  boolType,
  dynType,
  errorType,
  formatType,
  intType,
  listOf,
  mapOf,
  optionalOf,
  paramType,
  sameType,
  unwrapOptional,
} from './type.js';
import type { CelType } from './type.js';
import type { CallExpr, ComprehensionExpr, Expr, SelectExpr } from './syntax.js';

/** The function that a call resolves to. */
interface ResolvedCall {
  /** The name with its namespace, as in `sets.contains`. */
  readonly name: string;
  /** The ids of all overloads that the types of the arguments allow. */
  readonly overloads: readonly string[];
  /** The receiver; undefined for `sets.contains(a, b)`, where `sets` is a namespace. */
  readonly target: Expr | undefined;
}

/** An expression with the types of its parts. */
export interface Checked {
  readonly expr: Expr;
  typeOf(expr: Expr): CelType;
  callOf(expr: CallExpr): ResolvedCall | undefined;
  /** Returns whether a selection represents a name, as in `google.protobuf.Timestamp`. */
  isQualifiedName(expr: SelectExpr): boolean;
}

type Scope = ReadonlyMap<string, CelType>;

const empty: Scope = new Map();

/**
 * Finds the types of an expression and its parts, with the rules of cel-go (checker/checker.go).
 *
 * @returns the expression with its types, or all errors in it.
 */
export function check(expr: Expr, declarations: Declarations): Checked | { problems: ExpressionProblem[] } {
  const checker = new Checker(declarations);
  checker.check(expr, empty);
  return checker.problems.length > 0 ? { problems: checker.problems } : checker.result(expr);
}

class Checker {
  readonly problems: ExpressionProblem[] = [];
  readonly #types = new Map<Expr, CelType>();
  readonly #calls = new Map<Expr, ResolvedCall>();
  readonly #names = new Set<Expr>();
  readonly #substitutions = new Substitutions();

  constructor(readonly declarations: Declarations) {}

  result(expr: Expr): Checked {
    return {
      expr,
      typeOf: (part) => this.#substitutions.resolve(this.#types.get(part) ?? errorType, true),
      callOf: (part) => this.#calls.get(part),
      isQualifiedName: (part) => this.#names.has(part),
    };
  }

  check(expr: Expr, scope: Scope): CelType {
    const type = this.#infer(expr, scope);
    this.#types.set(expr, type);
    return type;
  }

  #infer(expr: Expr, scope: Scope): CelType {
    switch (expr.kind) {
      case 'literal':
        return expr.type;
      case 'ident':
        return this.#lookUp(expr.name, scope) ?? this.#undeclared(expr.name, expr.at);
      case 'select':
        return this.#select(expr, scope);
      case 'call':
        return this.#call(expr, scope);
      case 'list':
        return listOf(this.#join(expr.items, scope));
      case 'map': {
        let keys: CelType | undefined;
        let values: CelType | undefined;
        for (const [key, value] of expr.entries) {
          keys = this.#joined(keys, this.check(key, scope));
          values = this.#joined(values, this.check(value, scope));
        }
        return mapOf(keys ?? this.#substitutions.freshParam(), values ?? this.#substitutions.freshParam());
      }
      case 'comprehension':
        return this.#comprehension(expr, scope);
    }
  }

  #lookUp(name: string, scope: Scope): CelType | undefined {
    return scope.get(name) ?? this.declarations.variable(name);
  }

  #undeclared(name: string, at: number): CelType {
    return this.#problem(`undeclared reference to '${name}' (in container '')`, at);
  }

  #problem(message: string, at: number): CelType {
    this.problems.push({ message, at });
    return errorType;
  }

  #mismatch(expected: CelType, found: CelType, at: number): CelType {
    return this.#problem(`expected type '${formatType(expected)}' but found '${formatType(found)}'`, at);
  }

  #select(expr: SelectExpr, scope: Scope): CelType {
    const name = qualifiedName(expr);
    const named = name === undefined ? undefined : this.#lookUp(name, scope);
    if (named !== undefined) {
      this.#names.add(expr);
      return named;
    }
    const type = this.#field(expr, expr.operand, expr.field, scope, false);
    return expr.isTest ? boolType : this.#substitutions.resolve(type);
  }

  #field(expr: Expr, operand: Expr, field: string, scope: Scope, isOptional: boolean): CelType {
    const operandType = this.#substitutions.resolve(this.check(operand, scope));
    const inner = unwrapOptional(operandType);
    const type = this.#fieldOf(inner ?? operandType, field, expr.at);
    return inner !== undefined || isOptional ? optionalOf(type) : type;
  }

  #fieldOf(target: CelType, field: string, at: number): CelType {
    switch (target.kind) {
      case 'map':
        return target.params[1] ?? errorType;
      case 'struct':
        if (target.field === undefined)
          return this.#problem(`unexpected failed resolution of '${target.name}'`, at);
        return target.field(field) ?? this.#problem(`undefined field '${field}'`, at);
      case 'param':
        this.#substitutions.assign(dynType, target);
        return dynType;
      case 'dyn':
      case 'error':
        return dynType;
      default:
        this.#problem(`type '${formatType(target)}' does not support field selection`, at);
        return dynType;
    }
  }

  #call(expr: CallExpr, scope: Scope): CelType {
    const { name, target, args, at } = expr;
    const [operand, field] = args;
    if (name === '_?._' && operand !== undefined && field?.kind === 'literal') {
      this.#types.set(field, field.type);
      this.#calls.set(expr, { name, overloads: ['select_optional_field'], target: undefined });
      return this.#substitutions.resolve(this.#field(expr, operand, String(field.value), scope, true));
    }
    const types = args.map((arg) => this.check(arg, scope));
    if (target === undefined) return this.#resolve(expr, name, undefined, types);
    const namespace = qualifiedName(target);
    if (namespace !== undefined && this.declarations.overloads(`${namespace}.${name}`) !== undefined) {
      return this.#resolve(expr, `${namespace}.${name}`, undefined, types);
    }
    const receiver = this.check(target, scope);
    if (this.declarations.overloads(name) === undefined) return this.#undeclared(name, at);
    return this.#resolve(expr, name, target, [receiver, ...types]);
  }

  #resolve(expr: CallExpr, name: string, target: Expr | undefined, types: readonly CelType[]): CelType {
    const overloads = this.declarations.overloads(name);
    if (overloads === undefined) return this.#undeclared(name, expr.at);
    if (name === '_&&_' || name === '_||_') return this.#logical(expr, types, overloads);
    const ids: string[] = [];
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.isMember !== (target !== undefined)) continue;
      const { args, result: declared } = this.#instantiate(overload);
      if (!this.#substitutions.assignAll(types, args)) continue;
      ids.push(overload.id);
      const type = this.#substitutions.resolve(declared);
      result =
        result === undefined || result.kind === 'dyn' || sameType(type, result) ? (result ?? type) : dynType;
    }
    if (result !== undefined) {
      this.#calls.set(expr, { name, overloads: ids, target });
      return result;
    }
    const shown = types.map((type) => formatType(this.#substitutions.resolve(type, true)));
    const [receiver = '', ...rest] = shown;
    const signature = target === undefined ? `(${shown.join(', ')})` : `${receiver}.(${rest.join(', ')})`;
    return this.#problem(`found no matching overload for '${name}' applied to '${signature}'`, expr.at);
  }

  #logical(expr: CallExpr, types: readonly CelType[], overloads: readonly Overload[]): CelType {
    let isBool = true;
    for (const [index, type] of types.entries()) {
      if (this.#substitutions.assign(type, boolType)) continue;
      this.#mismatch(boolType, type, expr.args[index]?.at ?? expr.at);
      isBool = false;
    }
    if (!isBool) return errorType;
    this.#calls.set(expr, { name: expr.name, overloads: overloads.map(({ id }) => id), target: undefined });
    return boolType;
  }

  /** Returns the types of an overload with new type parameters in place of its own. */
  #instantiate({ args, result, params }: Overload): Pick<Overload, 'args' | 'result'> {
    if (params.length === 0) return { args, result };
    const own = new Substitutions();
    for (const name of params) own.assign(this.#substitutions.freshParam(), paramType(name));
    return { args: args.map((arg) => own.resolve(arg)), result: own.resolve(result) };
  }

  #join(items: readonly Expr[], scope: Scope): CelType {
    let joined: CelType | undefined;
    for (const item of items) joined = this.#joined(joined, this.check(item, scope));
    return joined ?? this.#substitutions.freshParam();
  }

  #joined(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    return this.#substitutions.assign(previous, current) ? moreGeneral(previous, current) : dynType;
  }

  #comprehension(expr: ComprehensionExpr, scope: Scope): CelType {
    const rangeType = this.#substitutions.resolve(this.check(expr.range, scope));
    const accumulated = this.check(expr.init, scope);
    const outer = new Map(scope).set(expr.accumulator, accumulated);
    const [single, key, value] = this.#elementTypes(rangeType, expr.range.at);
    const inner = new Map(outer);
    if (expr.valueVariable === undefined) inner.set(expr.variable, single);
    else inner.set(expr.variable, key).set(expr.valueVariable, value);
    this.#assert(expr.condition, boolType, inner);
    this.#assert(expr.step, accumulated, inner);
    return this.#substitutions.resolve(this.check(expr.result, outer));
  }

  /**
   * Returns the type of the variable of a loop with one variable, and the types of the variables of a loop with two.
   */
  #elementTypes(range: CelType, at: number): readonly [CelType, CelType, CelType] {
    const [first = errorType, second = errorType] = range.params;
    switch (range.kind) {
      case 'list':
        return [first, intType, first];
      case 'map':
        return [first, first, second];
      case 'dyn':
      case 'error':
      case 'param':
        this.#substitutions.assign(dynType, range);
        return [dynType, dynType, dynType];
      default: {
        const shown = formatType(range);
        this.#problem(
          `expression of type '${shown}' cannot be range of a comprehension (must be list, map, or dynamic)`,
          at,
        );
        return [errorType, errorType, errorType];
      }
    }
  }

  #assert(expr: Expr, expected: CelType, scope: Scope): void {
    const type = this.check(expr, scope);
    if (!this.#substitutions.assign(expected, type)) this.#mismatch(expected, type, expr.at);
  }
}

/** Returns the text of a chain of names, such as `a.b.c`; undefined for anything that is not a chain of names. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.isTest) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
