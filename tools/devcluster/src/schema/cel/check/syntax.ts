import type { CelType } from './type.js';

/** A CEL expression after the expansion of its macros, as cel-go checks it and estimates its cost. */
export type Expr = LiteralExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | ComprehensionExpr;

interface Located {
  /** The offset in the source to which errors refer. */
  readonly at: number;
}

interface LiteralExpr extends Located {
  readonly kind: 'literal';
  readonly value: unknown;
  readonly type: CelType;
}

interface IdentExpr extends Located {
  readonly kind: 'ident';
  readonly name: string;
}

export interface SelectExpr extends Located {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** Whether the selection is `has(operand.field)`. */
  readonly isTest: boolean;
}

export interface CallExpr extends Located {
  readonly kind: 'call';
  readonly name: string;
  readonly target?: Expr | undefined;
  readonly args: readonly Expr[];
}

interface ListExpr extends Located {
  readonly kind: 'list';
  readonly items: readonly Expr[];
}

interface MapExpr extends Located {
  readonly kind: 'map';
  readonly entries: readonly (readonly [key: Expr, value: Expr])[];
}

/**
 * A loop over a list or map: `step` makes the next value of the accumulator, and `result` makes the value of the loop.
 */
export interface ComprehensionExpr extends Located {
  readonly kind: 'comprehension';
  readonly range: Expr;
  readonly variable: string;
  /** The value, where `variable` is the index or key. */
  readonly valueVariable?: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** The name of the accumulator in the macros of CEL. */
export const accumulatorName = '__result__';

/** Returns the parts of an expression in the order of the source. */
export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.items;
    case 'map':
      return expr.entries.flat();
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}
