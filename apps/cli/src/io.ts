/** The environment of the program, which tests replace. */
export interface Io {
  /** Data: tables, JSON, YAML. */
  stdout: (text: string) => void;
  /** Progress and errors. */
  stderr: (text: string) => void;
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Ends the program when it aborts, as on Ctrl-C. */
  signal: AbortSignal;
  /** Aborts when the reader of standard output ends, which ends a watch. */
  outputEnd?: AbortSignal | undefined;
}
