import { RevertCommit } from '@interlock/api';
import { requestRefresh } from '@interlock/stack';
import { HydratedRepository, proposedBranchOf } from './hydrated-repository.js';
import type { Scenario, Step } from './crash-run.js';
import { report } from './status-scenario.js';
import { Team } from './team.js';
import type { Fixture } from './fixture.js';

const environment = 'environments/test';
const badBranch = 'bad';
const health = 'health';

interface RevertTemplate {
  path: string;
  /** Dry commits. */
  good: string;
  bad: string;
  /** Commits of the environment branch for these dry commits. */
  goodCommit: string;
  badCommit: string;
}

/**
 * Returns a repository whose environment runs a good dry commit. The branch `bad` contains the environment with a bad
 * commit on top.
 */
export async function badChange(path: string): Promise<RevertTemplate> {
  const repository = await HydratedRepository.create(path);
  const tip = () => repository.local.git(['rev-parse', environment]);
  const good = await repository.commitDry('Open the shop');
  await repository.hydrate(environment, good, 'tea');
  await repository.promote(environment);
  const goodCommit = await tip();
  const bad = await repository.commitDry('Sell hot air');
  await repository.hydrate(environment, bad, 'tea and hot air');
  await repository.promote(environment);
  const badCommit = await tip();
  await repository.local.git(['branch', badBranch, badCommit]);
  for (const branch of [environment, proposedBranchOf(environment)]) {
    await repository.local.git(['update-ref', `refs/heads/${branch}`, goodCommit]);
  }
  return { path, good, bad, goodCommit, badCommit };
}

/** Returns the scenario of the promoter for an environment that fails with a bad change. */
export function revertScenario(template: RevertTemplate): Scenario<Team> {
  return {
    app: 'promoter',
    createTeam: (fixture, name) =>
      Team.create(fixture, { name, template: template.path, environments: [environment] }),
    steps: [wasHealthy(template), fails(template)],
    check: (fixture, team) => revertedOnce(fixture, team, template),
  };
}

function wasHealthy({ good, goodCommit }: RevertTemplate): Step<Team> {
  return {
    act: async (fixture, team) => {
      await team.connect();
      const { client } = fixture.platform;
      await report(client, { namespace: team.name, name: health, sha: goodCommit, phase: 'success' });
      await team.createStrategy({
        activeCommitStatuses: [{ key: health }],
        revertPolicy: { mode: 'Auto', afterFailedFor: '1ms' },
      });
    },
    missing: async (_, team) => {
      const { status } = await team.strategy();
      const known = status?.environments?.[0]?.lastHealthyDrySHAs?.[0]?.sha;
      return known === good ? undefined : `${known ?? 'nothing'} is known to have been healthy`;
    },
  };
}

function fails({ good, bad, badCommit }: RevertTemplate): Step<Team> {
  return {
    act: async ({ platform: { client } }, team) => {
      await team.local.git(['update-ref', `refs/heads/${environment}`, badCommit]);
      await requestRefresh(client, team.strategyKey, Date.now());
      await report(client, { namespace: team.name, name: health, sha: badCommit, phase: 'failure' });
    },
    missing: async ({ platform: { client } }, team) => {
      const { items } = await client.list(RevertCommit, { namespace: team.name });
      const { state, inForce, rejectedDrySHA } = items[0]?.status ?? {};
      if (state !== 'Merged' || inForce !== true || rejectedDrySHA !== bad) {
        return `${items.length} RevertCommits; the first is ${state ?? 'new'}`;
      }
      const { status } = await team.strategy();
      const active = status?.environments?.[0]?.active?.drySHA;
      return active === good ? undefined : `the environment runs ${active ?? 'nothing known'}`;
    },
  };
}

/** Returns the problems unless the environment was reverted once, with one branch and one pull request. */
async function revertedOnce(
  { forgeApi, platform: { client } }: Fixture,
  { local, repository, name }: Team,
  { goodCommit, badCommit }: RevertTemplate,
): Promise<string[]> {
  const problems: string[] = [];
  const expectSame = (what: string, found: readonly string[], wanted: readonly string[]): void => {
    if (found.join() !== wanted.join()) problems.push(`${what}: ${found.join(', ') || 'none'}`);
  };
  const { items } = await client.list(RevertCommit, { namespace: name });
  const [{ status } = {}] = items;
  expectSame('RevertCommits', [String(items.length)], ['1']);
  const pullRequests = (await forgeApi.pullRequests(repository.fullName))
    .filter(({ head }) => head.ref.startsWith('interlock/'))
    .map(
      ({ head, base, merged_at }) => `${head.ref} into ${base.ref}, ${merged_at ? 'merged' : 'not merged'}`,
    );
  const branch = `interlock/revert/${environment}-${badCommit.slice(0, 7)}`;
  expectSame('pull requests', pullRequests, [`${branch} into ${environment}, merged`]);
  const branches = await local.lines(['for-each-ref', '--format=%(refname)', 'refs/heads/interlock/']);
  expectSame('branches', branches, [`refs/heads/${branch}`]);
  const [tree = ''] = await local.lines(['rev-parse', `${goodCommit}^{tree}`]);
  const shown = (commit: string) => local.git(['show', '-s', '--format=%T %P', commit]);
  expectSame('the revert', [await shown(branch)], [`${tree} ${badCommit}`]);
  const revert = await local.git(['rev-parse', branch]);
  expectSame('its commit in the status', [status?.revertSHA ?? ''], [revert]);
  expectSame('the environment', [await shown(environment)], [`${tree} ${badCommit} ${revert}`]);
  return problems;
}
