import { add, exactly, multiply, scale, unlimited } from './range.js';
import type { Range } from './range.js';
import { perCharacter } from './function-costs.js';
import type { Call, CallCost, Operand } from './function-costs.js';

/** Making a list costs 10, and calling a function costs 1. */
const base = exactly(11);

/**
 * Returns the cost of the functions of cel-go's list extension (ext/lists.go); undefined for other functions. Functions
 * that compare each element with every other one cost as much as if the number of elements were squared.
 */
export function listCallCost({ overload, target, args }: Call): CallCost | undefined {
  const [first, second] = args;
  if (target === undefined) {
    return overload === 'lists_range' ? making(exactly(literalNumber(first) ?? unlimited), 1) : undefined;
  }
  const compared = /^list_(\w+)_sort(?:ByAssociatedKeys)?$/.exec(overload);
  if (compared !== null) {
    const size = first?.size ?? target.size;
    return comparing(size, compared[1]);
  }
  switch (overload) {
    case 'list_slice':
      return making(exactly(sliceLength(target.size, first, second)), 1);
    case 'list_flatten':
      return making(target.size, 1);
    case 'list_flatten_int':
      return making(target.size, literalNumber(first) ?? unlimited);
    case 'list_reverse':
      return making(target.size, 1);
    case 'list_distinct':
      return comparing(target.size, target.type.params[0]?.kind);
    default:
      return undefined;
  }
}

function making(size: Range, factor: number): CallCost {
  return { cost: add(scale(size, factor), base), size };
}

/** Returns the cost of comparing each element with every other one; texts are compared character by character. */
function comparing(size: Range, element: string | undefined): CallCost {
  const isText = element === 'string' || element === 'bytes';
  return making(multiply(size, size), isText ? 2 + perCharacter : 2);
}

/**
 * Returns the length from the literal start, or the beginning, to the literal end, or the end. A negative length
 * overflows.
 */
function sliceLength(list: Range, start: Operand | undefined, end: Operand | undefined): number {
  const length = (literalNumber(end) ?? list.max) - (literalNumber(start) ?? 0);
  return length < 0 ? unlimited : length;
}

function literalNumber(operand: Operand | undefined): number | undefined {
  if (operand?.expr.kind !== 'literal' || typeof operand.expr.value !== 'bigint') return undefined;
  return Math.max(0, Number(operand.expr.value));
}
