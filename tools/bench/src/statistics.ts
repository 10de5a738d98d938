/**
 * Returns the smallest sample that is not below a share `p` of the samples (nearest rank).
 *
 * @param p between 0 and 1
 * @throws RangeError without samples
 */
export function quantile(samples: readonly number[], p: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)];
  if (found === undefined) throw new RangeError('no samples');
  return found;
}

/** Returns the middle sample, or the mean of the two middle samples. @throws RangeError without samples */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new RangeError('no samples');
  return (low + high) / 2;
}

export interface Summary {
  median: number;
  p99: number;
  most: number;
}

/** Returns the figures of samples that are reported. @throws RangeError without samples */
export function summaryOf(samples: readonly number[]): Summary {
  return { median: median(samples), p99: quantile(samples, 0.99), most: quantile(samples, 1) };
}
