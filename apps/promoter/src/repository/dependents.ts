import { keyOf, type ObjectKey } from '@interlock/api';
import type { ControllerHandle } from '@interlock/kube';
import { pullRequestsOf, referringTo, type Caches } from '../caches.js';

/** The controllers whose objects depend on a repository. */
export interface Dependents {
  strategies: ControllerHandle;
  proposedCommits: ControllerHandle;
  reverts: ControllerHandle;
  pullRequests: ControllerHandle;
}

/** Enqueues the objects that depend on a repository. */
export function wakeDependents(caches: Caches, dependents: Dependents, key: ObjectKey): void {
  const { strategies, proposedCommits, reverts, pullRequests } = dependents;
  for (const object of referringTo(caches.strategies, key)) strategies.enqueue(keyOf(object));
  for (const object of referringTo(caches.proposedCommits, key)) proposedCommits.enqueue(keyOf(object));
  for (const object of referringTo(caches.revertCommits, key)) reverts.enqueue(keyOf(object));
  for (const object of pullRequestsOf(caches, key)) pullRequests.enqueue(keyOf(object));
}
