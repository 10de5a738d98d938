import { initBare, type LocalRepository } from '../git.js';
import { commitFiles } from '../repository/commit.js';
import { hydrate } from './hydrator.js';
import { demoChanges, demoEnvironments, drySources, environmentBranch, type DemoChange } from './sources.js';

export const dryBranch = 'main';

/**
 * Creates the demo repository: a dry branch, and environments that run its first commit.
 *
 * @param more additional files of the dry branch that are not hydrated: path → content
 */
export async function createDemoRepository(
  path: string,
  now: number,
  more?: ReadonlyMap<string, string>,
): Promise<LocalRepository> {
  const repository = await initBare(path, dryBranch);
  const [first] = demoChanges;
  if (first === undefined) throw new Error('the demo has no changes');
  await commitChange(repository, first, now, more);
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
  more: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  const { message, version } = change;
  const drySHA = await commitFiles(repository, {
    branch: dryBranch,
    message,
    files: new Map([...drySources(version), ...more]),
    time: now,
  });
  await hydrate(repository, drySHA, now);
  return drySHA;
}
