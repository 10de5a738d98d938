import type { Pod } from '@interlock/kube';
import { viewPod } from './pod-view.js';

/**
 * The last states of worker pods that were removed after they had ended, until the record of their job is removed. A pod that is
 * evicted is removed at once when its container has ended: the reconciler, which reads the cache, can come too late for it. Without
 * that state nobody knows whether its runner has reported the job as cancelled because it was told to end, or because a user
 * cancelled it; only in the first case is the run run again.
 */
export class EndedPods {
  readonly #pods = new Map<string, Pod>();

  /** Keeps the last state of a pod for a job that is on record. A state that does not show how the pod ended is not kept. */
  keep(secretName: string, pod: Pod): void {
    /* An end that follows from the time alone, as of a lost node, is none that a later reader would miss. */
    if (viewPod(pod, 0).end !== undefined) this.#pods.set(secretName, pod);
  }

  /** Returns the last state of a pod of a job; undefined when none is kept. */
  get(secretName: string, podName: string): Pod | undefined {
    const pod = this.#pods.get(secretName);
    return pod?.metadata.name === podName ? pod : undefined;
  }

  /** Forgets the pods of a job whose record is removed. */
  forget(secretName: string): void {
    this.#pods.delete(secretName);
  }
}
