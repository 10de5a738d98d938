import type { DriftPolicy } from '../promotion/model.js';
import {
  dryProposedTrailer,
  hydratedActiveTrailer,
  hydratedProposedTrailer,
} from '../promotion/provenance.js';
import type { ProposedCommitFacts } from './observed.js';

/** A merge commit with the proposed tree, to be pushed to the proposed branch. */
export interface Alignment {
  branch: string;
  /** The tip that is replaced; the push fails when the branch moved on. */
  expected: string;
  /** The tip of the proposed branch, and the tip of the environment branch. */
  parents: [string, string];
  /** Tree of the active path, if there is one; other paths have the content of the environment branch. */
  treeSHA: string;
  activePath?: string | undefined;
  message: string;
}

/**
 * Returns the merge commit that is added to the proposed branch first, because a plain merge would not produce the
 * proposed tree (conflicts, changes made on the environment branch, no common history): after every merge, the tree of
 * the environment must be the proposed tree. Merging the commit is clean. Its trailers name the commit that it carries,
 * from which notes and files are read.
 * @param behind the SCM merges only commits that contain the tip of the environment branch.
 * @returns undefined if a plain merge produces the proposed tree, or keeps drift that is to be adopted.
 */
export function alignment(
  facts: ProposedCommitFacts,
  driftPolicy: DriftPolicy,
  behind = false,
): Alignment | undefined {
  const { tipSHA, proposed, activePath, mergedTreeSHA, requiredTreeSHA: wantedTreeSHA } = facts;
  if (tipSHA === undefined || proposed === undefined) return undefined;
  if (wantedTreeSHA === undefined || (mergedTreeSHA === wantedTreeSHA && !behind)) return undefined;
  if (adopts(facts, driftPolicy)) return undefined;
  const trailers = [
    ...(proposed.drySHA === undefined ? [] : [`${dryProposedTrailer}: ${proposed.drySHA}`]),
    `${hydratedProposedTrailer}: ${proposed.hydratedSHA}`,
    `${hydratedActiveTrailer}: ${tipSHA}`,
  ];
  return {
    branch: facts.proposedBranch,
    expected: proposed.hydratedSHA,
    parents: [proposed.hydratedSHA, tipSHA],
    treeSHA: proposed.treeSHA,
    activePath,
    message: `Merge ${facts.branch} into ${facts.proposedBranch}, keeping the proposed content\n\n${trailers.join('\n')}\n`,
  };
}

/** Returns whether the environment branch has changes to keep, new or adopted earlier. */
export function adopts({ drift, adopted }: ProposedCommitFacts, driftPolicy: DriftPolicy): boolean {
  return driftPolicy === 'Adopt' && (adopted || drift.length > 0);
}
