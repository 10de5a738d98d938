import { hydratorMetadataFile } from '@interlock/git';
import type { LocalRepository } from '../git.js';
import type { FoundEnvironment } from './environments.js';

interface Reverted {
  drySHA: string;
  /** Commits by proposed branch. */
  proposed: Map<string, string>;
}

/**
 * Reverts a dry commit as users do: creates a commit on top of it with the earlier content, and hydrates it for every
 * environment.
 *
 * @param before earlier commits of the proposed branches, by proposed branch
 * @param tips current commits of the proposed branches, on which the hydrated commits are based
 */
export async function takeBack(
  repository: LocalRepository,
  drySHA: string,
  environments: readonly FoundEnvironment[],
  before: ReadonlyMap<string, string>,
  tips: ReadonlyMap<string, string>,
): Promise<Reverted> {
  const subject = `Revert ${drySHA.slice(0, 7)}`;
  const commit = async (tree: string, parent: string): Promise<string> =>
    repository.git(['commit-tree', tree, '-p', parent, '-m', subject]);
  const dryTree = await repository.git(['rev-parse', `${drySHA}~1^{tree}`]);
  const reverted = await commit(dryTree, drySHA);
  const metadata = `${JSON.stringify({ drySha: reverted, subject }, null, 2)}\n`;
  const proposed = new Map<string, string>();
  for (const { proposedBranch } of environments) {
    const [content, tip] = [before.get(proposedBranch), tips.get(proposedBranch)];
    if (content === undefined || tip === undefined)
      throw new Error(`there is no earlier commit of ${proposedBranch}`);
    proposed.set(proposedBranch, await commit(await withFile(repository, content, metadata), tip));
  }
  return { drySHA: reverted, proposed };
}

/** Returns the tree of a commit with a different hydrator.metadata. */
async function withFile(repository: LocalRepository, commit: string, metadata: string): Promise<string> {
  const blob = await repository.git(['hash-object', '-w', '--stdin'], { input: metadata });
  const entries = await repository.lines(['ls-tree', commit]);
  const others = entries.filter((line) => !line.endsWith(`\t${hydratorMetadataFile}`));
  const input = [...others, `100644 blob ${blob}\t${hydratorMetadataFile}`, ''].join('\n');
  return repository.git(['mktree'], { input });
}
