/** The state of a histogram. */
export interface Buckets {
  /** Upper bounds, ascending, without infinity. */
  readonly bounds: readonly number[];
  /** Observations between a bound and the one before it. */
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Returns a histogram in the text format of Prometheus, with cumulative buckets. */
export function histogramLines(
  name: string,
  help: string,
  { bounds, counts, sum, count }: Buckets,
): string[] {
  let below = 0;
  const buckets = bounds.map((bound, index) => {
    below += counts[index] ?? 0;
    return `${name}_bucket{le="${bound}"} ${below}`;
  });
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} histogram`,
    ...buckets,
    `${name}_bucket{le="+Inf"} ${count}`,
    `${name}_sum ${sum}`,
    `${name}_count ${count}`,
  ];
}
