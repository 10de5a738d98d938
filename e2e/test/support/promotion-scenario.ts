import { HydratedRepository, proposedBranchOf } from './hydrated-repository.js';
import type { Scenario } from './crash-run.js';
import { Team } from './team.js';
import type { Fixture } from './fixture.js';

export const environments = ['environments/dev', 'environments/prod'] as const;
const [dev, prod] = environments;

export interface Template {
  path: string;
  /** The dry commit to promote. */
  drySHA: string;
}

/**
 * Returns a repository whose environments run one dry commit while another is proposed. The second environment also has
 * a hotfix.
 */
export async function pendingPromotion(path: string): Promise<Template> {
  const repository = await HydratedRepository.create(path);
  const first = await repository.commitDry('Open the shop');
  for (const environment of environments) {
    await repository.hydrate(environment, first, `${environment}: tea`);
    await repository.promote(environment);
  }
  await repository.hydrate(prod, first, `${prod}: tea, in haste`);
  await repository.promote(prod, 'Fix prod by hand');
  await repository.local.git(['branch', '--force', proposedBranchOf(prod), `${proposedBranchOf(prod)}~1`]);
  const second = await repository.commitDry('Sell cake');
  await repository.hydrate(dev, second, `${dev}: tea and cake`);
  await repository.hydrate(prod, second, `${prod}: tea and cake`);
  return { path, drySHA: second };
}

/** Returns the scenario of the promoter for a new team with a pending promotion in each environment. */
export function promotionScenario({ path, drySHA }: Template): Scenario<Team> {
  return {
    app: 'promoter',
    createTeam: (fixture, name) => Team.create(fixture, { name, template: path, environments }),
    steps: [
      {
        act: async (_, team) => {
          await team.connect();
          await team.createStrategy();
        },
        missing: (_, team) => team.missing(drySHA),
      },
    ],
    check: (fixture, team) => promotedOnce(fixture, team, path, drySHA),
  };
}

/** Returns the problems unless every environment was promoted once, with one pull request. */
export async function promotedOnce(
  fixture: Fixture,
  { local, repository }: Team,
  templatePath: string,
  drySHA: string,
): Promise<string[]> {
  const problems: string[] = [];
  const pullRequests = await fixture.view.pullRequests(repository.fullName);
  for (const branch of environments) {
    const own = pullRequests.filter(({ base }) => base === branch);
    if (own.length !== 1) problems.push(`${branch} has ${own.length} pull requests`);
    if (own.some((one) => !one.merged)) problems.push(`a pull request of ${branch} is not merged`);
    const before = await local.git(['--git-dir', templatePath, 'rev-parse', `refs/heads/${branch}`]);
    const merges = await local.lines(['rev-list', '--first-parent', `${before}..refs/heads/${branch}`]);
    if (merges.length !== 1) problems.push(`${branch} got ${merges.length} commits`);
    const [tree, wanted] = await local.lines([
      ...['rev-parse', `refs/heads/${branch}^{tree}`, `refs/heads/${proposedBranchOf(branch)}^{tree}`],
    ]);
    if (tree !== wanted) problems.push(`${branch} does not have the proposed tree`);
    const trailer = '--format=%(trailers:key=Sha-dry-proposed,valueonly)';
    const promoted = await local.git(['show', '-s', trailer, `refs/heads/${branch}`]);
    if (promoted.trim() !== drySHA)
      problems.push(`${branch} says that it is promoted to "${promoted.trim()}"`);
  }
  return problems;
}
