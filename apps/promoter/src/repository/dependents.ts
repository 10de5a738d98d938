import { keyOf, type ObjectKey } from '@interlock/api';
import type { ControllerHandle } from '@interlock/kube';
import { inNamespaceOf, referringTo, type Caches } from '../indexes.js';

/** Who has to know when a repository moved. */
export interface Dependents {
  strategies: ControllerHandle;
  proposedCommits: ControllerHandle;
  reverts: ControllerHandle;
  pullRequests: { enqueue(key: ObjectKey): void; look(key: ObjectKey): void };
}

/** Wakes whoever depends on a repository. `look`: its pull requests may have changed at the SCM. */
export function wakeDependents(caches: Caches, dependents: Dependents, key: ObjectKey, look: boolean): void {
  const { strategies, proposedCommits, reverts, pullRequests } = dependents;
  for (const object of referringTo(caches.strategies, key)) strategies.enqueue(keyOf(object));
  for (const object of referringTo(caches.proposedCommits, key)) proposedCommits.enqueue(keyOf(object));
  for (const object of referringTo(caches.revertCommits, key)) reverts.enqueue(keyOf(object));
  for (const object of inNamespaceOf(caches.pullRequests, key)) {
    if (object.spec.repoRef !== undefined && object.spec.repoRef.name !== key.name) continue;
    if (look && object.status?.state !== 'merged') pullRequests.look(keyOf(object));
    else pullRequests.enqueue(keyOf(object));
  }
}
