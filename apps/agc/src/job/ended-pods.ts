import type { Pod } from '@interlock/kube';
import { viewPod } from './pod-view.js';

/**
 * The last states of worker pods that were removed after they had ended, until the record of their job is removed. A pod that is
 * evicted is removed as soon as its container has ended, which can be before the reconciler reads it from the cache. Only that
 * state shows whether its runner reported the job as cancelled because the pod was ended, or because a user cancelled the job; only
 * in the first case is the run run again.
 */
export class EndedPods {
  readonly #pods = new Map<string, Pod>();

  /** Keeps the last state of a pod for a recorded job. A state that does not show how the pod ended is not kept. */
  keep(secretName: string, pod: Pod): void {
    /* At time 0, an end that is only derived from the time, such as that of a lost node, does not count. */
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
