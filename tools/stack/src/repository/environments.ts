import type { LocalRepository } from '../git.js';
import { drySHAOf } from './hydrated.js';

/** An environment that was discovered in a repository. */
export interface FoundEnvironment {
  branch: string;
  proposedBranch: string;
}

interface FoundEnvironments {
  live: FoundEnvironment[];
  /** Environment branches for which commits are no longer hydrated. */
  abandoned: string[];
}

interface Candidate extends FoundEnvironment {
  drySHA: string | undefined;
  createdAt: number;
}

/**
 * Finds the environments of a hydrated repository: branches that have a proposed branch. Environments whose proposed
 * branch was not hydrated for the newest dry commit are abandoned. The order is that in which the branches were
 * created. @throws Error if there are none
 */
export async function findEnvironments(
  repository: LocalRepository,
  dryBranch: string,
  suffix = '-next',
): Promise<FoundEnvironments> {
  const branches = [...(await repository.refs('refs/heads/')).keys()].map((ref) =>
    ref.slice('refs/heads/'.length),
  );
  const pairs = branches.filter((branch) => branches.includes(branch + suffix));
  const candidates = await Promise.all(pairs.map((branch) => candidate(repository, branch, suffix)));
  const newest =
    candidates.length === 0 ? undefined : await newestDryCommit(repository, dryBranch, candidates);
  const live = candidates
    .filter(({ drySHA }) => drySHA === newest)
    .sort((a, b) => a.createdAt - b.createdAt || (a.branch < b.branch ? -1 : 1));
  if (newest === undefined || live.length === 0) {
    throw new Error(
      `the repository has no environments: there is no branch X with a branch X${suffix} that holds hydrator.metadata for a commit of ${dryBranch}`,
    );
  }
  return {
    live: live.map(({ branch, proposedBranch }) => ({ branch, proposedBranch })),
    abandoned: candidates.filter(({ drySHA }) => drySHA !== newest).map(({ branch }) => branch),
  };
}

async function candidate(repository: LocalRepository, branch: string, suffix: string): Promise<Candidate> {
  const proposedBranch = branch + suffix;
  const times = await repository.lines(['log', '--first-parent', '--format=%ct', branch]);
  return {
    branch,
    proposedBranch,
    drySHA: await drySHAOf(repository, `refs/heads/${proposedBranch}`),
    createdAt: Number(times.at(-1)),
  };
}

async function newestDryCommit(
  repository: LocalRepository,
  dryBranch: string,
  candidates: readonly Candidate[],
): Promise<string | undefined> {
  const known = new Set(candidates.map(({ drySHA }) => drySHA));
  const dryCommits = await repository.lines(['rev-list', dryBranch]);
  return dryCommits.find((sha) => known.has(sha));
}
