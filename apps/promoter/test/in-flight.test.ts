import { describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import type { Proposal } from './harness/repository-writer.js';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

const environments = ['dev', 'test', 'prod'];

/** Returns a team whose environment `dev` runs a first change, while newer ones are hydrated everywhere. */
async function underChurn(newer = 2): Promise<{ team: Team; first: Proposal; last: Proposal }> {
  const team = await fixture.team({ environments });
  await team.applyStrategy({
    promotionPolicy: 'FinishInFlight',
    environments: ['dev', { branch: 'test', proposedCommitStatuses: [{ key: 'approval' }] }, 'prod'],
  });
  const first = await team.propose();
  await team.refresh();
  await team.runs('dev', first.drySHA);
  let last = first;
  for (let change = 0; change < newer; change++) {
    last = await team.propose();
    await team.refreshAndRest();
  }
  return { team, first, last };
}

describe('promotionPolicy FinishInFlight', () => {
  it('lets the commit in flight reach every environment before a newer one begins', async () => {
    const { team, first, last } = await underChurn();
    expect(await team.check('dev', 'NotHeld')).toMatchObject({
      state: 'pending',
      reason: 'InFlight',
      message: expect.stringContaining('is still being promoted to test, prod'),
    });
    const pull = await team.openPull('test');
    expect(pull.headSHA).toBe(first.hydrated['test']);
    await team.report('approval', pull.headSHA, 'success');
    const merged = await team.runs('prod', first.drySHA);
    expect(await team.tree(merged)).toBe(await team.tree(first.hydrated['prod'] ?? ''));

    await team.runs('dev', last.drySHA);
    await eventually(async () => {
      expect((await team.openPull('test')).headSHA).toBe(last.hydrated['test']);
    });
    await team.report('approval', last.hydrated['test'] ?? '', 'success');
    await team.runs('prod', last.drySHA);
    await fixture.rest();
    for (const branch of environments) {
      expect((await team.pulls(branch)).map(({ state }) => state)).toEqual(['closed', 'closed']);
    }
  });

  it('lets a newer commit take over when a check of the commit in flight fails', async () => {
    const { team, first, last } = await underChurn(1);
    await team.report('approval', first.hydrated['test'] ?? '', 'failure');
    await team.runs('dev', last.drySHA);
    await team.report('approval', last.hydrated['test'] ?? '', 'success');
    await team.runs('prod', last.drySHA);
  });

  it('lets a newer commit take over when a user closes the pull request of the commit in flight', async () => {
    const { team, last } = await underChurn(1);
    const { number } = await team.openPull('test');
    await fixture.user.close(team.repository.fullName, number);
    fixture.clock.forward(10 * 60_000);
    await team.refresh();
    await team.runs('dev', last.drySHA);
  });

  it('does not propose a rejected commit again when the environment branch moves', async () => {
    const { team, first } = await underChurn(0);
    await team.waitsFor('test', 'Missing');
    const { number, headSHA } = await eventually(() => team.openPull('test'));
    await fixture.user.close(team.repository.fullName, number);
    fixture.clock.forward(10 * 60_000);
    await team.refresh();
    await team.waitsFor('test', 'Rejected');
    const fix = await team.amend('test', { 'hotfix.yaml': 'a: b\n' });
    await team.report('approval', headSHA, 'success');
    await team.refreshAndRest();
    await team.refreshAndRest();
    await team.waitsFor('test', 'Rejected');
    expect(await team.pulls('test')).toMatchObject([{ number, state: 'closed', merged: false }]);
    expect(await team.tip('test')).toBe(fix);
    expect(headSHA).toBe(first.hydrated['test']);
  });

  it('releases the newer commit without a second pull request when the policy changes', async () => {
    const { team, last } = await underChurn(1);
    await team.applyStrategy({
      environments: ['dev', { branch: 'test', proposedCommitStatuses: [{ key: 'approval' }] }, 'prod'],
    });
    await team.runs('dev', last.drySHA);
    await eventually(async () => {
      expect((await team.openPull('test')).headSHA).toBe(last.hydrated['test']);
    });
  });
});
