import {
  keyOf,
  type CommitStatus,
  type ObjectKey,
  type PromotionStrategy,
  type PullRequest,
} from '@interlock/api';
import type { Cache, ControllerHandle } from '@interlock/kube';
import { pullRequestsOf, referringTo, type Caches, type Referring } from '../caches.js';
import type { StatusReaders } from '../promotion/status-reads.js';
import { activePathOf, proposedBranchOf } from '../promotion/strategy-spec.js';
import { proposedCommitsOf, revertsOf, strategiesOf } from '../watches.js';
import { dependingOn } from './ref-index.js';
import type { RepositoryChange } from './repositories.js';

type Handle = Pick<ControllerHandle, 'enqueue'>;

/** The controllers whose objects depend on a repository. */
export interface Dependents {
  strategies: Handle;
  proposedCommits: Handle;
  reverts: Handle;
  pullRequests: Handle;
}

/** Enqueues the objects that depend on what changed in a repository. */
export function wakeDependents(
  caches: Caches,
  { strategies, proposedCommits, reverts, pullRequests }: Dependents,
  key: ObjectKey,
  change: RepositoryChange,
): void {
  const promoting = concerned(caches.strategies, key, change);
  const reverting = concerned(caches.revertCommits, key, change);
  for (const object of promoting) strategies.enqueue(keyOf(object));
  for (const object of concerned(caches.proposedCommits, key, change)) proposedCommits.enqueue(keyOf(object));
  for (const object of reverting) reverts.enqueue(keyOf(object));
  const all = pullRequestsOf(caches, key);
  for (const object of change === 'all' ? all : all.filter(waitsForMerge))
    pullRequests.enqueue(keyOf(object));
  if (change === 'all') return;
  /* A revert compares its environment with the branch from which the strategy of the environment proposes. */
  const proposed = new Set(promoting.flatMap((strategy) => proposedIn(strategy, change)));
  for (const object of referringTo(caches.revertCommits, key)) {
    const { activeBranch, activePath } = object.spec;
    if (proposed.has(environmentOf(activeBranch, activePath))) reverts.enqueue(keyOf(object));
  }
}

/** Enqueues the objects that read a CommitStatus. */
export function wakeReaders(
  caches: Caches,
  reads: StatusReaders,
  { strategies, proposedCommits, reverts }: Omit<Dependents, 'pullRequests'>,
  status: CommitStatus,
): void {
  for (const key of strategiesOf(caches, reads.strategies, status)) strategies.enqueue(key);
  for (const key of proposedCommitsOf(caches, reads.proposedCommits, status)) proposedCommits.enqueue(key);
  for (const key of revertsOf(caches, reads.reverts, status)) reverts.enqueue(key);
}

function concerned<T extends Referring>(
  cache: Pick<Cache<T>, 'byIndex'>,
  key: ObjectKey,
  change: RepositoryChange,
): T[] {
  if (change === 'all') return referringTo(cache, key);
  return [...new Set([...change].flatMap((ref) => dependingOn(cache, key, ref)))];
}

/* A merge is confirmed with the refs. Nothing else that is decided about a pull request depends on them. */
function waitsForMerge({ spec, status }: PullRequest): boolean {
  return spec.merge !== undefined && status?.state === 'open';
}

/** Returns the environments of a strategy whose proposed branches are among the refs. */
function proposedIn(strategy: PromotionStrategy, refs: ReadonlySet<string>): string[] {
  return strategy.spec.environments
    .filter((environment) => refs.has(`refs/heads/${proposedBranchOf(strategy, environment)}`))
    .map((environment) => environmentOf(environment.branch, activePathOf(strategy, environment)));
}

function environmentOf(branch: string, activePath: string | undefined): string {
  return JSON.stringify([branch, activePath]);
}
