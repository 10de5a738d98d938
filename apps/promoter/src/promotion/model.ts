import { shortSHA, type Check, type CommitStatusPhase } from '@interlock/api';

/** The metadata of a hydrated commit. */
export interface HydratedCommit {
  hydratedSHA: string;
  /** The commit of the hydrator: this commit itself, or the commit that it carries if it is an alignment. */
  originSHA: string;
  /** Tree of the active path, if there is one. */
  treeSHA: string;
  /** Absent if nothing names it. */
  drySHA?: string | undefined;
  /** What is wrong with its hydrator.metadata or note, as a sentence. */
  problem?: string | undefined;
  subject: string;
  author: string;
  /** The commit that it reverts; absent if it is not a revert. */
  revertOf?: string | undefined;
}

/** A commit on an environment branch that was not made by a promotion. */
export interface DriftCommit {
  sha: string;
  subject: string;
  author: string;
}

/** The difference between an environment branch and its last promotion. */
export interface Drift {
  /** Commits on top of the last promotion, newest first. */
  drift: readonly DriftCommit[];
  /** Whether the last promotion kept changes of the environment branch that were not proposed. */
  adopted: boolean;
  /** The last promoted commit; absent if the branch does not show any promotion. */
  promotedSHA?: string | undefined;
}

/** The drift of a branch that does not exist, or that has no promotions. */
export const noDrift: Drift = { drift: [], adopted: false };

/** How the next promotion treats drift. */
export type DriftPolicy = 'Overwrite' | 'Block' | 'Adopt';

/** The state of one environment in git. */
export interface EnvironmentFacts extends Drift {
  branch: string;
  proposedBranch: string;
  /** Folder of the environment branch; absent for the whole branch. */
  activePath?: string | undefined;
  /** The proposed branch has to be created first, or moved from this commit. */
  publish?: { expected: string | null } | undefined;
  /** The commit at the tip of the environment branch. */
  tipSHA?: string | undefined;
  /** Absent if there is no such branch. With an active path, the last commit that changed it. */
  active?: HydratedCommit | undefined;
  proposed?: HydratedCommit | undefined;
  /** Dry commits whose hydration changed nothing here: notes on the commits whose content is active. */
  unchangedBy: readonly string[];
  /**
   * Whether the environment branch contains the proposed commit: as an ancestor of its tip or, after a squash, as the
   * last promoted commit.
   */
  contained: boolean;
}

/** The CommitStatus for a key and a SHA, or the reason why there is none. */
export interface StatusFinding {
  key: string;
  phase: CommitStatusPhase | 'pending';
  reason: 'Reported' | 'Missing' | 'Conflict';
  message: string;
}

/** A RevertCommit in force for an environment, and what it means for the commit that is proposed there. */
export interface RevertInForce {
  /** Name of the RevertCommit. */
  name: string;
  /** Absent when the reverted commit did not name a dry commit. */
  rejectedDrySHA?: string | undefined;
  /** Whether the environment was already reverted. */
  merged: boolean;
  /** Why the proposed commit is not promoted: it does not come after the rejected one, or has the same content. */
  holds?: 'NotNewer' | 'SameContent' | undefined;
}

/** One environment with all that its decision depends on. */
export interface ObservedEnvironment extends EnvironmentFacts {
  /** Branches of the environments that must run a change first. */
  dependsOn: readonly string[];
  hold?: { reason: string } | undefined;
  /** The dry commit in flight, which no newer dry commit may overtake. */
  inFlight?: string;
  driftPolicy: DriftPolicy;
  reverts: readonly RevertInForce[];
  /** Active CommitStatuses, for its active hydrated commit. */
  activeStatuses: readonly StatusFinding[];
}

/** Whether `descendant` is `ancestor` or comes after it in git; undefined when git does not know one of them. */
export type Descends = (ancestor: string, descendant: string) => boolean | undefined;

/** The branch along which changes are ordered. */
export interface DryBranch {
  name: string;
  /** The commit at its tip; absent if there is no such branch. */
  tipSHA?: string | undefined;
  descends: Descends;
  /**
   * Returns how many commits of the branch come after a dry commit along first parents, at most {@link maxBehind};
   * undefined for a commit that is not on the branch.
   */
  behind(drySHA: string): number | undefined;
}

/** How many commits of the dry branch are counted. */
export const maxBehind = 100;

/** A line of the decision, without the time since which it holds. */
export type CheckLine = Omit<Check, 'since'>;

/** Returns whether the proposed commit has the same content as the environment branch. */
function isInSync(facts: EnvironmentFacts): boolean {
  return facts.active !== undefined && facts.active.treeSHA === facts.proposed?.treeSHA;
}

/**
 * Returns whether there is a proposed commit that could be merged. A commit that the branch already contains does not count,
 * unless it has been reverted since then: in that case it is proposed again as soon as nothing holds it.
 */
export function isProposing(facts: EnvironmentFacts): boolean {
  const { active, proposed, contained } = facts;
  if (active === undefined || proposed === undefined || isInSync(facts)) return false;
  return !contained || active.revertOf !== undefined;
}

/** Returns the tip of the environment branch if it is later than the active commit, without changes in the active path. */
export function laterTip({ active, tipSHA }: EnvironmentFacts): { tipSHA?: string | undefined } {
  return tipSHA === undefined || tipSHA === active?.hydratedSHA ? {} : { tipSHA };
}

/** Returns a description of drift: the commits and their authors. */
export function describeDrift(drift: readonly DriftCommit[]): string {
  return drift.map(({ sha, subject, author }) => `${shortSHA(sha)} "${subject}" by ${author}`).join(', ');
}
