import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import {
  badChange,
  becomes,
  createRevert,
  getRevert,
  waitsFor,
  type RevertFixture,
} from './harness/reverts.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();
afterEach(() => fixture.platform.forge.faults.clear());

const frozen = { proposedCommitStatuses: [{ key: 'freeze' }] };

/** Creates a bad change in an environment that requires the check freeze for later proposals. */
async function badChangeUnderFreeze(skippable: string[] = []): Promise<RevertFixture> {
  const scenario = await badChange(fixture);
  await scenario.team.applyStrategy({
    activeCommitStatuses: [{ key: 'health' }],
    ...frozen,
    revertPolicy: { skippableChecks: skippable.map((key) => ({ key })) },
  });
  return scenario;
}

describe('a revert', () => {
  it('waits for the checks of proposed commits, like a promotion', async () => {
    const { team, wanted } = await badChangeUnderFreeze();
    await createRevert(team, { mode: 'Auto' });
    await waitsFor(team, 'Missing');
    const revertSHA = (await getRevert(team)).status?.revertSHA ?? '';
    await team.report('freeze', revertSHA, 'failure', { description: 'no deployments before Monday' });
    expect((await waitsFor(team, 'Failure')).message).toContain('no deployments before Monday');
    await fixture.rest();
    expect((await team.openPull('test')).headSHA).toBe(revertSHA);
    await team.report('freeze', revertSHA, 'success');
    await becomes(team, 'Merged');
    expect(await team.tree(await team.tip('test'))).toBe(wanted);
  });

  it('skips the checks that it names, if the strategy allows it', async () => {
    const { team, wanted } = await badChangeUnderFreeze(['freeze']);
    await createRevert(team, { mode: 'Auto', skipChecks: ['freeze'] });
    expect((await becomes(team, 'Merged')).checks).toContainEqual(
      expect.objectContaining({ name: 'freeze', state: 'success', reason: 'Skipped' }),
    );
    expect(await team.tree(await team.tip('test'))).toBe(wanted);
  });

  it('does not skip checks that the strategy does not allow it to skip', async () => {
    const { team, unwanted } = await badChangeUnderFreeze();
    await createRevert(team, { mode: 'Auto', skipChecks: ['freeze'] });
    expect((await waitsFor(team, 'Missing')).message).toContain('revertPolicy.skippableChecks');
    await fixture.rest();
    expect(await team.tip('test')).toBe(unwanted);
  });

  it('is not merged when a check fails between the decision and the merge', async () => {
    const { team, unwanted, wanted } = await badChangeUnderFreeze();
    await createRevert(team, { mode: 'Auto' });
    await waitsFor(team, 'Missing');
    const revertSHA = (await getRevert(team)).status?.revertSHA ?? '';
    await fixture.rest();
    const reads = team.holdReads();
    await team.report('freeze', revertSHA, 'success');
    await reads.arrived;
    await team.report('freeze', revertSHA, 'failure');
    reads.release();
    await waitsFor(team, 'Failure');
    await fixture.rest();
    expect(await team.tip('test')).toBe(unwanted);
    await team.report('freeze', revertSHA, 'success');
    await becomes(team, 'Merged');
    expect(await team.tree(await team.tip('test'))).toBe(wanted);
  });

  it('is not merged when a newer dry commit becomes active between the decision and the merge', async () => {
    const { team } = await badChangeUnderFreeze();
    await createRevert(team, { mode: 'Auto' });
    await waitsFor(team, 'Missing');
    const revertSHA = (await getRevert(team)).status?.revertSHA ?? '';
    const next = await team.propose();
    await team.refresh();
    const { number } = await eventually(async () => {
      const open = (await team.pulls('test')).find(({ headSHA }) => headSHA === next.hydrated['test']);
      if (open === undefined) throw new Error('the newer commit is not proposed');
      return open;
    });
    await fixture.rest();
    const reads = team.holdReads();
    await team.report('freeze', revertSHA, 'success');
    await reads.arrived;
    await fixture.user.merge(team.repository.fullName, number);
    const promoted = await team.tip('test');
    reads.release();
    await becomes(team, 'Superseded');
    await fixture.rest();
    expect(await team.tip('test')).toBe(promoted);
    expect((await team.environment('test')).active?.drySHA).toBe(next.drySHA);
  });
});
