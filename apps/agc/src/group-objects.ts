import { runnerLabels, type KubeObject, type OwnerReference, type RunnerGroup } from '@interlock/api';
import { controllerReference } from '@interlock/kube';

/** An object that belongs to a RunnerGroup: a worker pod, the Secret of a job or of a runner, or the ConfigMap of a rerun. */
type GroupObject = Pick<KubeObject, 'metadata'>;

/** Returns the name of the RunnerGroup of an object; empty if the object belongs to none. */
export function groupNameOf({ metadata }: GroupObject): string {
  return metadata.labels?.[runnerLabels.runnerGroup] ?? '';
}

/** Returns the label value that names the job of a worker pod or of the Secret of a job; undefined for other objects. */
export function planLabelOf({ metadata }: GroupObject): string | undefined {
  return metadata.labels?.[runnerLabels.planId];
}

/** Returns the reference by which an object is deleted with its RunnerGroup. @throws Error when the group has no uid */
export function groupReference(group: RunnerGroup): OwnerReference {
  return { ...controllerReference(group), controller: false, blockOwnerDeletion: false };
}
