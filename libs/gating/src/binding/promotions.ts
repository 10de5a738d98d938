import {
  labels,
  matchesLabels,
  type GateBinding,
  type PromotionStrategy,
  type ProposedCommit,
  type RevertCommit,
} from '@interlock/api';
import { controllerOf, isTrue } from '@interlock/kube';
import type { Subject } from '../types.js';

/** A commit that is to be merged into an environment, as a promotion or as a revert. */
export interface Promotion {
  kind: 'ProposedCommit' | 'RevertCommit';
  namespace: string;
  name: string;
  /** Name of the PromotionStrategy, by which targets and overrides refer to the promotion. */
  strategy: string;
  /** The environment branch. */
  branch: string;
  /** Name of the GitRepository. */
  repository: string;
  /** The commit that would be merged. */
  sha: string;
  /** The dry commit that the commit was hydrated from. */
  drySHA?: string | undefined;
  /**
   * The state of the environment: the commit on its branch, the dry commit of that commit, and the commit that was
   * proposed.
   */
  active?: { sha: string; drySHA?: string | undefined; proposedSHA?: string | undefined } | undefined;
  /** Whether the commit still waits to be merged. */
  waits: boolean;
}

/** The promotion resources in the namespace of a binding. */
interface PromotionResources {
  strategies: readonly PromotionStrategy[];
  proposedCommits: readonly ProposedCommit[];
  revertCommits: readonly RevertCommit[];
}

/**
 * Returns the promotions that a binding of mode CommitStatus binds, in a stable order. A revert requires the same
 * CommitStatuses as a promotion to its environment.
 */
export function promotionsOf(
  binding: GateBinding,
  { strategies, proposedCommits, revertCommits }: PromotionResources,
): Promotion[] {
  const byName = new Map(strategies.map((strategy) => [strategy.metadata.name, strategy]));
  return proposedCommits
    .filter((commit) => isLive(commit) && bindsCommit(binding, commit, byName.get(strategyOf(commit))))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((commit) => [
      ...proposal(commit),
      ...revertCommits
        .filter((revert) => isLive(revert) && isOfEnvironment(revert, commit))
        .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
        .flatMap((revert) => reversal(revert, commit)),
    ]);
}

/**
 * Returns whether a binding of mode CommitStatus holds promotions of a strategy, as soon as there is a commit to
 * promote.
 */
export function bindsStrategy(
  binding: GateBinding,
  strategy: PromotionStrategy,
  proposedCommits: readonly ProposedCommit[],
): boolean {
  return proposedCommits.some(
    (commit) =>
      isLive(commit) &&
      strategyOf(commit) === strategy.metadata.name &&
      bindsCommit(binding, commit, strategy),
  );
}

/**
 * Returns whether a binding of mode CommitStatus holds the promotions of a ProposedCommit, and its reverts.
 *
 * @param strategy the strategy of the commit; undefined if it does not exist
 */
export function bindsCommit(
  binding: GateBinding,
  commit: ProposedCommit,
  strategy: PromotionStrategy | undefined,
): boolean {
  const { key } = binding.spec.commitStatus ?? {};
  return key !== undefined && requiredKeysOf(commit).includes(key) && isTarget(binding, commit, strategy);
}

/** Returns the keys of the CommitStatuses without which a commit is not merged. */
export function requiredKeysOf({ spec }: ProposedCommit): string[] {
  return (spec.commitStatuses?.proposed ?? []).map(({ key }) => key);
}

/** Returns the verdict on a promotion. An override may be scoped to the strategy, and to the hydrated or the dry commit. */
export function verdictOfPromotion<T extends { state: string }>(
  verdictOf: (subject: Subject) => T,
  { strategy, sha, drySHA }: Promotion,
): T {
  const subject = { kind: 'PromotionStrategy', name: strategy };
  const hydrated = verdictOf({ ...subject, revision: sha });
  if (hydrated.state === 'Open' || drySHA === undefined) return hydrated;
  const dry = verdictOf({ ...subject, revision: drySHA });
  return dry.state === 'Open' ? dry : hydrated;
}

function isLive({ metadata }: ProposedCommit | RevertCommit): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** Returns whether a commit belongs to a target of a binding. Without targets, every strategy of the namespace is bound. */
function isTarget(
  { spec: { targets = [] } }: GateBinding,
  commit: ProposedCommit,
  strategy: PromotionStrategy | undefined,
): boolean {
  if (targets.length === 0) return true;
  const name = strategyOf(commit);
  return targets.some(
    (target) =>
      (target.name === undefined || target.name === name) &&
      (target.selector === undefined ||
        (strategy !== undefined && matchesLabels(target.selector, strategy.metadata.labels))),
  );
}

function isOfEnvironment({ spec }: RevertCommit, commit: ProposedCommit): boolean {
  return (
    spec.repoRef.name === commit.spec.repoRef.name &&
    spec.activeBranch === commit.spec.activeBranch &&
    spec.activePath === commit.spec.activePath
  );
}

function proposal(commit: ProposedCommit): Promotion[] {
  const { hydratedSHA: sha, drySHA } = commit.status?.proposed ?? {};
  if (sha === undefined) return [];
  const waits = !isTrue(commit.status?.conditions, 'Promoted');
  return [
    {
      ...common(commit, commit),
      kind: 'ProposedCommit',
      sha,
      waits,
      drySHA,
    },
  ];
}

function reversal(revert: RevertCommit, commit: ProposedCommit): Promotion[] {
  const { revertSHA: sha, state, target } = revert.status ?? {};
  if (sha === undefined || (state !== 'Pending' && state !== 'Open')) return [];
  const drySHA = target?.drySHA;
  return [
    {
      ...common(revert, commit),
      kind: 'RevertCommit',
      sha,
      waits: true,
      drySHA,
    },
  ];
}

function common({ metadata }: ProposedCommit | RevertCommit, commit: ProposedCommit) {
  const { hydratedSHA: sha, drySHA } = commit.status?.active ?? {};
  const proposedSHA = commit.status?.history?.find((entry) => entry.sha === sha)?.hydratedSHA;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    strategy: strategyOf(commit),
    branch: commit.spec.activeBranch,
    repository: commit.spec.repoRef.name,
    active: sha === undefined ? undefined : { sha, drySHA, proposedSHA },
  };
}

/**
 * Returns the name of the strategy of a commit, from the owner reference if there is one, because a label may have been
 * shortened.
 */
export function strategyOf(commit: ProposedCommit): string {
  return controllerOf(commit)?.name ?? commit.metadata.labels?.[labels.promotionStrategy] ?? '';
}
