import { initBare, type LocalRepository } from '../git.js';
import { commitFiles } from '../repository/commit.js';
import { hydrate } from './hydrator.js';
import { demoChanges, demoEnvironments, drySources, environmentBranch, type DemoChange } from './sources.js';

export const dryBranch = 'main';

/** Makes the demo's repository: a dry branch, and environments that run its first commit. */
export async function createDemoRepository(path: string, now: number): Promise<LocalRepository> {
  const repository = await initBare(path, dryBranch);
  const [first] = demoChanges;
  if (first === undefined) throw new Error('the demo has no changes');
  await commitChange(repository, first, now);
  for (const environment of demoEnvironments) {
    const branch = environmentBranch(environment);
    await repository.git(['branch', branch, `${branch}-next`]);
  }
  return repository;
}

/** Commits a change to the dry branch and hydrates it. @returns the dry commit. */
export async function commitChange(
  repository: LocalRepository,
  change: DemoChange,
  now: number,
): Promise<string> {
  const { message, version } = change;
  const drySHA = await commitFiles(repository, {
    branch: dryBranch,
    message,
    files: drySources(version),
    time: now,
  });
  await hydrate(repository, drySHA, now);
  return drySHA;
}
