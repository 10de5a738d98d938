/** What the program has of the world, so that tests can give it another one. */
export interface Io {
  /** Data: tables, JSON, YAML. */
  stdout: (text: string) => void;
  /** Progress and errors. */
  stderr: (text: string) => void;
  env: Readonly<Record<string, string | undefined>>;
  /** Ms since the epoch. */
  now: () => number;
  /** Ends the program, as on Ctrl-C. */
  signal: AbortSignal;
}
