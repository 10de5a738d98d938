import { describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import type { Proposal } from './harness/repository-writer.js';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

/** Creates two teams, each with a strategy of the same name, for repositories that hold the very same commits. */
async function twins(): Promise<{ one: Team; other: Team; proposal: Proposal }> {
  const [one, other] = [
    await fixture.team({ environments: ['dev', 'test'] }),
    await fixture.team({ environments: ['dev', 'test'] }),
  ];
  const proposal = await one.propose();
  await other.local.git(['fetch', '--quiet', one.repository.path, '+refs/*:refs/*']);
  expect(await other.local.refs()).toEqual(await one.local.refs());
  for (const team of [one, other]) {
    await team.applyStrategy({
      environments: ['dev', { branch: 'test', proposedCommitStatuses: [{ key: 'approval' }] }],
    });
  }
  return { one, other, proposal };
}

/** Makes the promoter read both repositories, until dev runs the change in both. */
async function bothRun(teams: readonly Team[], { drySHA }: Proposal): Promise<void> {
  for (const team of teams) {
    await team.refresh();
    await team.runs('dev', drySHA);
  }
}

describe('two tenants with the same names, keys and commits', () => {
  it('both make progress when both repositories change', async () => {
    const { one, other, proposal } = await twins();
    await bothRun([one, other], proposal);
  });

  it('are promoted only by their own CommitStatuses', async () => {
    const { one, other, proposal } = await twins();
    await bothRun([one, other], proposal);
    for (const team of [one, other]) await team.waitsFor('test', 'Missing');
    await one.report('approval', proposal.hydrated['test'] ?? '', 'success');
    await one.runs('test', proposal.drySHA);
    await other.refreshAndRest();
    expect((await other.check('test', 'approval')).reason).toBe('Missing');
    expect((await other.openPull('test')).headSHA).toBe(proposal.hydrated['test']);
  });

  it('do not share problems', async () => {
    const { one, other, proposal } = await twins();
    await one.local.git(['update-ref', '-d', 'refs/heads/dev']);
    for (const team of [one, other]) await team.refresh();
    await eventually(async () => {
      const { status } = await one.proposedCommit('dev');
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready).toMatchObject({ status: 'False', reason: 'BranchNotFound' });
    });
    await other.runs('dev', proposal.drySHA);
  });

  it('keep the pull requests of one tenant when the strategy of the other tenant is deleted', async () => {
    const { one, other, proposal } = await twins();
    await bothRun([one, other], proposal);
    for (const team of [one, other]) await eventually(() => team.openPull('test'));
    await one.deleteStrategy();
    await eventually(async () => {
      expect((await one.pulls('test')).map(({ state }) => state)).toEqual(['closed']);
    });
    await fixture.rest();
    expect((await other.openPull('test')).headSHA).toBe(proposal.hydrated['test']);
  });
});
