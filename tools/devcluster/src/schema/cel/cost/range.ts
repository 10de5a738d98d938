/** The least and the most that a size or a cost can be. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The largest number of the estimator; larger sums and products are limited to it. */
export const unlimited = 2 ** 64;

export const zero: Range = { min: 0, max: 0 };
export const unknown: Range = { min: 0, max: unlimited };

export function exactly(value: number): Range {
  return { min: value, max: value };
}

export function add(...ranges: readonly Range[]): Range {
  return {
    min: limit(ranges.reduce((sum, { min }) => sum + min, 0)),
    max: limit(ranges.reduce((sum, { max }) => sum + max, 0)),
  };
}

export function multiply(a: Range, b: Range): Range {
  return { min: limit(a.min * b.min), max: limit(a.max * b.max) };
}

/** Returns a range times a factor, rounded up to whole units. */
export function scale({ min, max }: Range, factor: number): Range {
  return { min: limit(Math.ceil(min * factor)), max: limit(Math.ceil(max * factor)) };
}

/** Returns the range that contains both. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

function limit(value: number): number {
  return Math.min(value, unlimited);
}
