import type { Checked } from '../check/checker.js';
import type { Expr } from '../check/syntax.js';
import { unwrapOptional } from '../check/type.js';
import type { CelType } from '../check/type.js';
import type { DeclaredType } from '../declared-type.js';
import { FieldPath } from './path.js';
import { exactly, union, unknown, unlimited } from './range.js';
import type { Range } from './range.js';

/** The sizes of the keys (or indices) and of the values of a list or map. */
export interface ElementSizes {
  readonly container: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: FieldPath | undefined;
  readonly size: Range | undefined;
  readonly elements: ElementSizes | undefined;
}

/** The sizes of the values of expressions: from the schema, as far as their path is known, or from how the expression makes them. */
export class SizeEstimator {
  readonly #sizes = new Map<Expr, Range>();
  readonly #elements = new Map<Expr, ElementSizes>();
  readonly #paths = new Map<Expr, FieldPath>();
  readonly #locals = new Map<string, Local[]>();

  constructor(
    readonly checked: Checked,
    readonly self: DeclaredType,
  ) {}

  /** Returns the size of a value; undefined when nothing is known of it. */
  of(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr) ?? literalSize(expr);
    if (known !== undefined) return known;
    const declared = this.#declaredSize(this.#pathOf(expr)?.steps);
    if (declared !== undefined) {
      this.#sizes.set(expr, declared);
      return declared;
    }
    if (isScalar(this.checked.typeOf(expr))) return exactly(1);
    return this.#localOf(expr)?.size;
  }

  /** Returns the size of an element of a list, as the schema declares it. */
  ofElement(list: Expr): Range | undefined {
    const path = this.#pathOf(list);
    return path === undefined ? undefined : this.#declaredSize([...path.steps, '@items']);
  }

  /** Returns the sizes of the elements of a value that the expression makes; undefined for values that the schema describes. */
  elementsOf(expr: Expr): ElementSizes | undefined {
    return this.#elements.get(expr) ?? this.#localOf(expr)?.elements;
  }

  set(expr: Expr, size: Range): void {
    this.#sizes.set(expr, size);
  }

  setElements(expr: Expr, elements: ElementSizes): void {
    this.#elements.set(expr, elements);
  }

  copy(to: Expr, from: Expr): void {
    const size = this.of(from);
    const elements = this.elementsOf(from);
    if (size !== undefined) this.set(to, size);
    if (elements !== undefined) this.setElements(to, elements);
  }

  /** Records the path of a name. */
  enterName(expr: Expr & { kind: 'ident' }): void {
    const local = this.#localOf(expr);
    const path = local === undefined ? FieldPath.of(expr.name) : local.path;
    if (path !== undefined) this.#paths.set(expr, path);
  }

  /** Records that an expression is one step below another. */
  enterStep(expr: Expr, from: Expr, step: string): void {
    this.#paths.set(expr, FieldPath.extend(this.#pathOf(from), step));
  }

  /** Declares a local variable with the value of an expression. */
  pushLocal(name: string, value: Expr): void {
    const elements = this.elementsOf(value);
    this.#push(name, { path: this.#pathOf(value), size: this.of(value), elements });
  }

  /** Declares the variable of a loop: the keys (or indices) of a range or its values. */
  pushElement(name: string, range: Expr, part: 'key' | 'value'): void {
    const elements = this.elementsOf(range);
    const isList = this.isList(range);
    const step = part === 'key' ? (isList ? '@indices' : '@keys') : isList ? '@items' : '@values';
    const path = FieldPath.extend(this.#pathOf(range), step);
    this.#push(name, { path, size: elements?.[part], elements: undefined });
  }

  pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  /** Reports whether the elements of a value are the items of a list, and not the entries of a map. */
  isList(range: Expr): boolean {
    const kind: string = this.elementsOf(range)?.container ?? this.checked.typeOf(range).kind;
    return kind === 'list';
  }

  #push(name: string, local: Local): void {
    this.#locals.set(name, [...(this.#locals.get(name) ?? []), local]);
  }

  #localOf(expr: Expr): Local | undefined {
    return expr.kind === 'ident' ? this.#locals.get(expr.name)?.at(-1) : undefined;
  }

  #pathOf(expr: Expr): FieldPath | undefined {
    const local = this.#localOf(expr);
    return local === undefined ? this.#paths.get(expr) : local.path;
  }

  /**
   * Follows a path from the value of `self`, whatever variable the path begins with, and returns the size at its end.
   */
  #declaredSize(path: readonly string[] | undefined): Range | undefined {
    if (path === undefined) return undefined;
    let declared: DeclaredType | undefined = this.self;
    for (const step of path.slice(1)) declared = below(declared, step);
    return declared === undefined ? undefined : { min: 0, max: declared.maxElements };
  }
}

function below(declared: DeclaredType | undefined, step: string): DeclaredType | undefined {
  switch (step) {
    case '@items':
    case '@values':
      return declared?.elements;
    case '@keys':
      return declared?.keys;
    default:
      return declared?.fields?.get(step);
  }
}

function literalSize(expr: Expr): Range | undefined {
  switch (expr.kind) {
    case 'list':
      return exactly(expr.items.length);
    case 'map':
      return exactly(expr.entries.length);
    case 'literal': {
      const { value } = expr;
      if (typeof value === 'string') return exactly([...value].length);
      return exactly(value instanceof Uint8Array ? value.length : 1);
    }
    default:
      return undefined;
  }
}

function isScalar(type: CelType): boolean {
  const inner = unwrapOptional(type);
  if (inner !== undefined) return isScalar(inner);
  return ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(type.kind);
}

/** Returns the range of the sizes of some values; 0 when there are none. */
export function unionOfSizes(sizes: readonly (Range | undefined)[]): Range {
  return sizes.length === 0
    ? exactly(0)
    : sizes.reduce((all: Range, size) => union(all, size ?? unknown), { min: unlimited, max: 0 });
}
