/** The outcome of a simulated pod. */
export type Outcome =
  /** Its containers run and are ready, which is the default. */
  | { type: 'run' }
  /** Its containers run and are not ready. */
  | { type: 'notReady' }
  /**
   * It does not change: a pod that has not started waits with a reason such as `ImagePullBackOff` (default
   * `ContainerCreating`), and one that runs continues when it is deleted.
   */
  | { type: 'hold'; reason?: string | undefined; message?: string | undefined }
  /** Its containers end with exit code 0; they start again where the restart policy is Always. */
  | { type: 'succeed' }
  /** Its containers end with an exit code (default 1); they start again unless the restart policy is Never. */
  | { type: 'fail'; exitCode?: number | undefined; message?: string | undefined }
  /** Its containers are killed because they use more memory than their limit. */
  | { type: 'oomKill' }
  /** The kubelet evicts it because the node is low on a resource (default: `memory`). */
  | { type: 'evict'; resource?: string | undefined; message?: string | undefined }
  /** The kubelet ends it because it has been active for too long. */
  | { type: 'deadline' };

/** An outcome that happens once and ends the containers. */
export type Ending = Extract<Outcome, { type: 'succeed' | 'fail' | 'oomKill' | 'evict' | 'deadline' }>;

/** Returns whether an outcome ends the containers. */
export function isEnding(outcome: Outcome): outcome is Ending {
  return !['run', 'notReady', 'hold'].includes(outcome.type);
}
