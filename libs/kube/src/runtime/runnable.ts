/** A part of a process that the manager starts and stops. */
export interface Runnable {
  name: string;
  /** Runs until `signal` aborts. A rejection stops the manager. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether the runnable is started only while this process leads. Default: true */
  needsLeaderElection?: boolean;
}
