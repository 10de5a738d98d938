import { add, exactly, multiply, scale, unlimited } from './range.js';
import type { Range } from './range.js';
import { perCharacter, searchCost } from './function-costs.js';
import type { Call, CallCost } from './function-costs.js';

/**
 * Returns the estimate of cel-go for a call (checker/cost.go and the sets extension), without the cost of its
 * arguments: 1 for most functions.
 */
export function celCallCost({ overload, target, args }: Call): CallCost {
  const [first, second] = args;
  const one = { cost: exactly(1) };
  if (first === undefined) return one;
  switch (overload) {
    case 'string_format':
      return { cost: scale(target?.size ?? exactly(0), perCharacter) };
    case 'string_to_bytes':
      return { cost: scale(first.size, perCharacter), size: widened(first.size, 4, 0) };
    case 'bytes_to_string':
      return {
        cost: scale(first.size, perCharacter),
        size: { min: Math.floor(first.size.min / 4), max: first.size.max },
      };
    case 'strings_quote':
      return {
        cost: scale(first.size, perCharacter),
        size: { ...widened(first.size, 2, 2), min: first.size.min + 2 },
      };
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: scale(first.size, perCharacter) };
    case 'matches_string':
      return target === undefined ? one : { cost: searchCost(target.size, first.size) };
    case 'contains_string':
      return target === undefined
        ? one
        : { cost: multiply(scale(target.size, perCharacter), scale(first.size, perCharacter)) };
    default:
      return second === undefined ? one : binaryCost(overload, first.size, second.size);
  }
}

/** Returns the size times `factor` plus `more`; an unlimited size overflows. */
function widened(size: Range, factor: number, more: number): Range {
  return {
    min: size.min,
    max: size.max === unlimited && more > 0 ? 0 : Math.min(unlimited, size.max * factor + more),
  };
}

function binaryCost(overload: string, left: Range, right: Range): CallCost {
  if (overload.startsWith('list_sets_')) {
    const rounds = overload === 'list_sets_equivalent_list' ? 2 : 1;
    return { cost: add(scale(multiply(left, right), rounds), exactly(1)) };
  }
  switch (overload) {
    case 'in_list':
      return { cost: scale(right, 1) };
    case 'add_list':
      return { cost: exactly(1), size: add(left, right) };
    case 'add_string':
    case 'add_bytes': {
      const size = add(left, right);
      return { cost: scale(size, perCharacter), size };
    }
    default:
      return { cost: isComparison(overload) ? comparison(left, right) : exactly(1) };
  }
}

function isComparison(overload: string): boolean {
  return (
    overload === 'equals' ||
    overload === 'not_equals' ||
    /^(?:less|greater)(?:_equals)?_(?:string|bytes)$/.test(overload)
  );
}

/** Returns the cost of reading as many characters as the shorter operand has. */
function comparison(left: Range, right: Range): Range {
  const max = Math.min(left.max, right.max);
  return scale({ min: max > 0 ? 1 : 0, max }, perCharacter);
}
