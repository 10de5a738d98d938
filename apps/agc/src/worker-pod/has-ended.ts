import type { Pod } from '@interlock/kube';

/** Returns whether all containers of a pod have ended. */
export function hasEnded({ status }: Pick<Pod, 'status'>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
