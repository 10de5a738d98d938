/** One figure of a benchmark. */
export interface Measurement {
  metric: string;
  value: number;
  unit: string;
  /** The same figure of the reference, where there is one; docs/performance.md says where it comes from. */
  peer?: number;
}

export interface BenchmarkContext {
  /** Says what is being done; not part of the results. */
  say: (line: string) => void;
  signal: AbortSignal;
}

export interface Benchmark {
  description: string;
  /** Measures. @throws Error when something does not work as it should: there are no figures then. */
  run(context: BenchmarkContext): Promise<Measurement[]>;
  /** Measures what shows only in many minutes, and nothing else; absent where there is no such thing. */
  soak?: (context: BenchmarkContext, minutes: number) => Promise<Measurement[]>;
}
