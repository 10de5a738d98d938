/** One figure of a benchmark. */
export interface Measurement {
  metric: string;
  value: number;
  unit: string;
  /** The same figure of a comparable project, if there is one; docs/performance.md names its source. */
  peer?: number | undefined;
}

export interface BenchmarkContext {
  /** Reports the progress, which is not part of the results. */
  say: (line: string) => void;
  signal: AbortSignal;
}

export interface Benchmark {
  description: string;
  /** Measures the figures. @throws Error if a measured program does not work correctly */
  run(context: BenchmarkContext): Promise<Measurement[]>;
  /** Runs only the measurements that take many minutes; absent if there are none. */
  soak?: (context: BenchmarkContext, minutes: number) => Promise<Measurement[]>;
}
