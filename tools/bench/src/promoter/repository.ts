import { hydratorMetadataFile } from '@interlock/git';
import type { LocalRepository } from '@interlock/stack';

export const dryBranch = 'main';
export const proposedBranchOf = (branch: string): string => `${branch}-next`;

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`;

function commit(ref: string, message: string, files: Record<string, string>, parent?: string): string {
  return [
    `commit ${ref}`,
    `committer Bench <bench@interlock.invalid> ${Math.floor(Date.now() / 1000)} +0000`,
    data(message),
    ...(parent === undefined ? [] : [`from ${parent}`]),
    'deleteall',
    ...Object.entries(files).map(([path, content]) => `M 100644 inline ${path}\n${data(content)}`),
    '',
  ].join('\n');
}

/** Returns the files of a hydrated commit for an environment: some manifests of typical size. */
function manifests(branch: string, drySHA: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (let index = 0; index < 10; index++) {
    files[`apps/app-${index}.yaml`] =
      `environment: ${branch}\nversion: ${drySHA}\n${'# a line\n'.repeat(50)}`;
  }
  return { ...files, [hydratorMetadataFile]: `${JSON.stringify({ drySha: drySHA })}\n` };
}

/** Adds `count` commits to the dry branch. @returns the new commits, oldest first */
export async function commitDry(local: LocalRepository, count: number): Promise<string[]> {
  const ref = `refs/heads/${dryBranch}`;
  const known = (await local.resolve(ref)) !== undefined;
  const commits = Array.from({ length: count }, (_, index) => {
    const parent = index === 0 && known ? `${ref}^0` : undefined;
    return commit(ref, `change ${index}`, { 'values.yaml': `change: ${index}\n` }, parent);
  });
  await local.git(['fast-import', '--quiet'], { input: commits.join('\n') });
  return local.lines(['rev-list', '--reverse', `--max-count=${count}`, ref]);
}

/** Commits the hydrated files of a dry commit to environment branches, without further proposals. */
export async function begin(
  local: LocalRepository,
  branches: readonly string[],
  drySHA: string,
): Promise<void> {
  const commits = branches.flatMap((branch) => [
    commit(`refs/heads/${branch}`, `hydrate ${drySHA}`, manifests(branch, drySHA)),
    `reset refs/heads/${proposedBranchOf(branch)}\nfrom refs/heads/${branch}\n`,
  ]);
  await local.git(['fast-import', '--quiet'], { input: commits.join('\n') });
}

/** Commits the hydrated files of a dry commit to the proposed branch of an environment. */
export async function hydrate(local: LocalRepository, branch: string, drySHA: string): Promise<void> {
  const ref = `refs/heads/${proposedBranchOf(branch)}`;
  const input = commit(ref, `hydrate ${drySHA}`, manifests(branch, drySHA), `${ref}^0`);
  await local.git(['fast-import', '--quiet'], { input });
}
