import { shortSHA, type Check, type CommitStatusPhase } from '@interlock/api';

/** What a hydrated commit says of itself. */
export interface HydratedCommit {
  hydratedSHA: string;
  /** The commit of the hydrator that it is, or carries on where it is an alignment. */
  originSHA: string;
  /** Of the active path, where there is one. */
  treeSHA: string;
  /** Absent when nothing names it. */
  drySHA?: string;
  /** What is wrong with its hydrator.metadata or note; a sentence. */
  problem?: string;
  subject: string;
  author: string;
  /** The commit that it takes back; absent: it is not a revert. */
  revertOf?: string;
}

/** A commit on an environment branch that no promotion made. */
export interface DriftCommit {
  sha: string;
  subject: string;
  author: string;
}

/** How an environment branch differs from what was promoted to it. */
export interface Drift {
  /** Commits on top of the last promotion, newest first. */
  drift: readonly DriftCommit[];
  /** The last promotion kept changes of the environment branch that were not proposed. */
  adopted: boolean;
  /** The commit that was promoted last; absent: nothing was, as far as the branch shows. */
  promotedSHA?: string;
}

/** That of a branch which does not exist, or to which nothing was ever promoted. */
export const noDrift: Drift = { drift: [], adopted: false };

/** What becomes of drift when the next commit is promoted. */
export type DriftPolicy = 'Overwrite' | 'Block' | 'Adopt';

/** What git says of one environment. */
export interface EnvironmentFacts extends Drift {
  branch: string;
  proposedBranch: string;
  /** Folder of the environment branch; absent: all of it. */
  activePath?: string;
  /** The branch that is to be proposed has to be made, or moved from this commit, first. */
  publish?: { expected: string | null };
  /** The commit at the tip of the environment branch. */
  tipSHA?: string;
  /** Absent: no such branch. With an active path: the last commit that changed it. */
  active?: HydratedCommit;
  proposed?: HydratedCommit;
  /** Dry commits whose hydration changed nothing here: notes on the commits whose content is active. */
  unchangedBy: readonly string[];
  /** The proposed commit is part of the environment branch: an ancestor of its tip, or what was promoted last by a squash. */
  contained: boolean;
}

/** The CommitStatus found for a key and a SHA, or why there is none. */
export interface StatusFinding {
  key: string;
  phase: CommitStatusPhase | 'pending';
  reason: 'Reported' | 'Missing' | 'Conflict';
  message: string;
}

/** A RevertCommit in force for an environment, and what it means for the commit that is proposed there. */
export interface RevertInForce {
  /** Of the RevertCommit. */
  name: string;
  /** Absent when what was reverted named no dry commit. */
  rejectedDrySHA?: string;
  /** The environment was taken back already. */
  merged: boolean;
  /** Why the proposed commit is not promoted: it does not come after the rejected one, or has its very content. */
  holds?: 'NotNewer' | 'SameContent';
}

/** One environment with all that its decision depends on. */
export interface ObservedEnvironment extends EnvironmentFacts {
  /** Branches of the environments that must run a change first. */
  dependsOn: readonly string[];
  hold?: { reason: string };
  /** The dry commit on its way, which nothing overtakes. */
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
  /** The commit at its tip; absent: no such branch. */
  tipSHA?: string;
  descends: Descends;
  /**
   * How many commits of its first-parent line come after a dry commit, at most {@link maxBehind}; undefined for a commit that
   * is not on it.
   */
  behind(drySHA: string): number | undefined;
}

/** So far a distance on the dry branch is counted. */
export const maxBehind = 100;

/** A line of the decision before it is known since when it holds. */
export type CheckLine = Omit<Check, 'since'>;

/** Returns whether the content of the proposed commit is what the environment branch holds. */
export function isInSync(facts: EnvironmentFacts): boolean {
  return facts.active !== undefined && facts.active.treeSHA === facts.proposed?.treeSHA;
}

/**
 * Returns whether there is a proposed commit that could be merged. One that the branch contains already is none, unless
 * it was taken back since: then it is proposed again as soon as nothing holds it.
 */
export function isProposing(facts: EnvironmentFacts): boolean {
  const { active, proposed, contained } = facts;
  if (active === undefined || proposed === undefined || isInSync(facts)) return false;
  return !contained || active.revertOf !== undefined;
}

/** Returns the tip of the environment branch where it is later than what is active: it changed nothing in the active path. */
export function laterTip({ active, tipSHA }: EnvironmentFacts): { tipSHA?: string } {
  return tipSHA === undefined || tipSHA === active?.hydratedSHA ? {} : { tipSHA };
}

/** Returns the drift as people read it: who changed what. */
export function describeDrift(drift: readonly DriftCommit[]): string {
  return drift.map(({ sha, subject, author }) => `${shortSHA(sha)} "${subject}" by ${author}`).join(', ');
}
