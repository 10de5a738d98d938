/** Returns the index of the first item that passes a test in a partitioned list, or its length. */
export function firstPassing<T>(items: readonly T[], passes: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item === undefined || passes(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}
