import { describe, expect, it } from '@jest/globals';
import { CommitStatus, promotionStatusKey } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

/** Returns a team in which one and the same commit is active in every environment, and proposed for it. */
async function teamOfOne(): Promise<Team> {
  const team = await fixture.team();
  const sha = await team.tip('dev');
  for (const branch of ['test', 'prod']) {
    await team.local.git(['update-ref', `refs/heads/${branch}`, sha]);
    await team.local.git(['update-ref', `refs/heads/${branch}-next`, sha]);
  }
  return team;
}

/** Proposes one hydrated commit for several environments. Returns the commit, and its dry commit. */
async function proposeOne(team: Team, ...branches: string[]): Promise<{ drySHA: string; sha: string }> {
  const [first = ''] = branches;
  const drySHA = await team.commitDry();
  const sha = await team.hydrate(first, drySHA, { 'manifest.yaml': `output: ${drySHA}\n` });
  for (const branch of branches) await team.local.git(['update-ref', `refs/heads/${branch}-next`, sha]);
  return { drySHA, sha };
}

async function promotionStatuses({ client, namespace }: Team): Promise<CommitStatus['spec'][]> {
  const { items } = await client.list(CommitStatus, { namespace });
  return items.map(({ spec }) => spec).filter(({ name }) => name.startsWith(promotionStatusKey));
}

describe('one commit that several environments propose', () => {
  it('is promoted through all environments of a strategy in their order', async () => {
    const team = await teamOfOne();
    await team.applyStrategy({
      environments: ['dev', { branch: 'test', hold: { reason: 'not yet' } }, 'prod'],
    });
    const { drySHA, sha } = await proposeOne(team, 'dev', 'test', 'prod');
    await team.refresh();
    await team.runs('dev', drySHA);
    await team.waitsFor('test', 'InProgress');
    await eventually(async () => {
      const all = (await promotionStatuses(team)).filter((spec) => spec.sha === sha);
      expect(all.map(({ name, phase }) => `${name} ${phase}`).sort()).toEqual([
        'promotion in_progress',
        'promotion success',
        'promotion/prod in_progress',
      ]);
    });
    await team.applyStrategy({ environments: ['dev', 'test', 'prod'] });
    await team.runs('prod', drySHA);
  });

  it('is promoted by each of the strategies that propose it', async () => {
    const team = await teamOfOne();
    const branches = ['dev', 'test', 'prod'];
    for (const branch of branches) await team.applyStrategy({ environments: [branch] }, `of-${branch}`);
    const { drySHA } = await proposeOne(team, ...branches);
    await team.refresh();
    await eventually(async () => {
      for (const branch of branches) {
        const { status } = await team.strategy(`of-${branch}`);
        expect(status?.environments).toMatchObject([{ branch, active: { drySHA } }]);
      }
    });
    expect((await promotionStatuses(team)).map(({ name }) => name)).toEqual(branches.map(() => 'promotion'));
  });
});

describe('the status of the rules at the SCM', () => {
  it('has the name that the strategy sets, unless the environment sets another name', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    await team.applyStrategy({
      promotionStatusName: 'interlock',
      environments: ['dev', { branch: 'test', promotionStatusName: 'interlock-test' }],
    });
    const { drySHA } = await team.propose();
    await team.refresh();
    await team.runs('test', drySHA);
    const { items } = await team.client.list(CommitStatus, { namespace: team.namespace });
    expect(items.map(({ spec }) => spec.name).sort()).toEqual(['interlock', 'interlock-test']);
  });
});
