import { isTyped, runnerAnnotations, type ObjectKey } from '@interlock/api';
import { Pod, type Client } from '@interlock/kube';

/** Which pod is deleted, and why. */
interface PodDeletion {
  uid: string;
  reason: string;
  /**
   * The grace period; by default that of the pod, or of its deletion if it is being deleted. The API server may shorten it later, but
   * never extends it.
   */
  graceSeconds?: number | undefined;
}

/**
 * Deletes a worker pod with a grace period, and annotates it with the reason, so that the deletion does not count as a disruption. An
 * admission policy that is newer than the pod may refuse every change of the pod, and an admission webhook for changes may fail, but
 * neither must keep it from being deleted: the record of the job has the reason as well.
 *
 * @throws ApiError `NotFound` when the pod is gone, `Conflict` when another pod has its name
 */
export async function deleteWorkerPod(
  client: Pick<Client, 'patch' | 'delete'>,
  key: ObjectKey,
  { uid, reason, graceSeconds }: PodDeletion,
  signal: AbortSignal,
): Promise<void> {
  const metadata = { uid, annotations: { [runnerAnnotations.deletionReason]: reason } };
  try {
    await client.patch(Pod, key, { type: 'merge', patch: { metadata } }, { signal });
  } catch (error) {
    if (!isTyped(error, 'Unauthorized', 'Invalid', 'Transient')) throw error;
  }
  await client.delete(Pod, key, { uid, gracePeriodSeconds: graceSeconds, signal });
}
